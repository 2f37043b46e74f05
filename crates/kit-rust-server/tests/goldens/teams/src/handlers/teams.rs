//! The handlers of `TeamRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::team::{self, NewTeam, TeamChanges};
use crate::error::{AppError, Error};
use crate::models::{
    PaginatedResponseOfTeam, PaginatedResponsePagination, Team, TeamMember, TeamWithMembers,
};
use crate::router::{
    DeleteTeamsById, DeleteTeamsByIdMembersByUserId, GetTeams, GetTeamsById, PostTeams,
    PostTeamsByIdMembers, PutTeamsById, TeamRoutes,
};

impl TeamRoutes for App {
    async fn post_teams(&self, input: PostTeams) -> Result<Team, Error> {
        let body = input.body;
        let new = NewTeam {
            id: None,
            name: body.name,
            capacity: Some(body.capacity),
            created_at: None,
        };
        Ok(team::insert(&self.pool, &new).await?)
    }

    async fn get_teams(&self, input: GetTeams) -> Result<PaginatedResponseOfTeam, Error> {
        let page = input.query.page.unwrap_or(1);
        let page_size = input.query.page_size.unwrap_or(20);
        let offset = (page - 1).saturating_mul(page_size);
        let rows = team::list(&self.pool, page_size, offset).await?;
        let total = team::count(&self.pool).await?;
        Ok(PaginatedResponseOfTeam {
            data: rows,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages: total / page_size + i64::from(total % page_size > 0),
            },
        })
    }

    async fn get_teams_by_id(&self, _input: GetTeamsById) -> Result<TeamWithMembers, Error> {
        Err(Error::not_written(
            "GET /teams/:id",
            "src/handlers/teams.rs",
        ))
    }

    async fn put_teams_by_id(&self, input: PutTeamsById) -> Result<Team, Error> {
        let body = input.body;
        let changes = TeamChanges {
            name: body.name,
            capacity: body.capacity,
        };
        let found = team::update(&self.pool, &input.params.id, &changes).await?;
        found.ok_or_else(|| AppError::TeamNotFound.with("Team not found"))
    }

    async fn delete_teams_by_id(&self, input: DeleteTeamsById) -> Result<(), Error> {
        if team::delete(&self.pool, &input.params.id).await? {
            Ok(())
        } else {
            Err(AppError::TeamNotFound.with("Team not found"))
        }
    }

    async fn post_teams_by_id_members(
        &self,
        _input: PostTeamsByIdMembers,
    ) -> Result<TeamMember, Error> {
        Err(Error::not_written(
            "POST /teams/:id/members",
            "src/handlers/teams.rs",
        ))
    }

    async fn delete_teams_by_id_members_by_user_id(
        &self,
        _input: DeleteTeamsByIdMembersByUserId,
    ) -> Result<(), Error> {
        Err(Error::not_written(
            "DELETE /teams/:id/members/:userId",
            "src/handlers/teams.rs",
        ))
    }
}
