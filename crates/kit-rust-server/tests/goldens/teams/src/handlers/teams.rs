//! Handlers of `TeamRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::value;

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

/// Error for a request whose team does not exist.
fn team_not_found(id: &str) -> Error {
    AppError::TeamNotFound
        .with("Team not found")
        .with_details(value!({ "id": id }))
}

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
        let mut connection = self.pool.acquire().await?;
        let (data, total) = team::list_with_total(&mut connection, page_size, offset).await?;
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(PaginatedResponseOfTeam {
            data,
            pagination: PaginatedResponsePagination {
                total,
                page,
                page_size,
                total_pages,
            },
        })
    }

    async fn get_teams_by_id(&self, _input: GetTeamsById) -> Result<TeamWithMembers, Error> {
        Err(Error::not_implemented(
            "GET /teams/:id",
            "src/handlers/teams.rs",
        ))
    }

    async fn put_teams_by_id(&self, input: PutTeamsById) -> Result<Team, Error> {
        let id = &input.params.id;
        let body = input.body;
        let changes = TeamChanges {
            name: body.name,
            capacity: body.capacity,
        };
        let updated = team::update(&self.pool, id, &changes).await?;
        updated.ok_or_else(|| team_not_found(id))
    }

    async fn delete_teams_by_id(&self, input: DeleteTeamsById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = team::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(team_not_found(id))
        }
    }

    async fn post_teams_by_id_members(
        &self,
        _input: PostTeamsByIdMembers,
    ) -> Result<TeamMember, Error> {
        Err(Error::not_implemented(
            "POST /teams/:id/members",
            "src/handlers/teams.rs",
        ))
    }

    async fn delete_teams_by_id_members_by_user_id(
        &self,
        _input: DeleteTeamsByIdMembersByUserId,
    ) -> Result<(), Error> {
        Err(Error::not_implemented(
            "DELETE /teams/:id/members/:userId",
            "src/handlers/teams.rs",
        ))
    }
}
