"""Calls Teams through the client that openapi-python-client makes of its document."""

import datetime
import sys
import uuid

from teams_client import AuthenticatedClient
from teams_client.api.teams import (
    delete_teams_by_id_members_by_user_id,
    get_teams_by_id,
    post_teams,
    post_teams_by_id_members,
)
from teams_client.api.todos import delete_todos_by_id, get_todos, get_todos_by_id, post_todos, put_todos_by_id
from teams_client.api.users import get_users, get_users_by_id, post_users, put_users_by_id
from teams_client.models.create_team_input import CreateTeamInput
from teams_client.models.create_todo_input import CreateTodoInput
from teams_client.models.create_user_input import CreateUserInput
from teams_client.models.error import Error
from teams_client.models.join_team_input import JoinTeamInput
from teams_client.models.update_todo_input import UpdateTodoInput
from teams_client.models.update_user_input import UpdateUserInput
from teams_client.models.user import User
from teams_client.models.user_status import UserStatus

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], raise_on_unexpected_status=True)


def code(answer):
    """What went wrong, where something did."""
    return answer.error.code if isinstance(answer, Error) else None


grace = post_users.sync(
    client=client, body=CreateUserInput(email="grace@example.com", display_name="Grace Hopper")
)
assert isinstance(grace, User), grace
assert grace.status is UserStatus.ACTIVE, grace
assert grace.created_at.tzinfo is not None, grace
assert abs(grace.created_at - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=5)
grace_id = uuid.UUID(str(grace.id))

again = post_users.sync_detailed(
    client=client, body=CreateUserInput(email="grace@example.com", display_name="Another")
)
assert (again.status_code, code(again.parsed)) == (409, "USER_EMAIL_CONFLICT"), again
changed = put_users_by_id.sync(grace_id, client=client, body=UpdateUserInput(status=UserStatus.SUSPENDED))
assert (changed.display_name, changed.status) == ("Grace Hopper", UserStatus.SUSPENDED), changed
assert get_users_by_id.sync(grace_id, client=client) == changed
assert [user.id for user in get_users.sync(client=client).data] == [grace.id]

todo = post_todos.sync(client=client, body=CreateTodoInput(title="Find the moth", user_id=grace_id))
assert (todo.title, todo.completed, todo.user_id) == ("Find the moth", False, grace_id), todo
todo_id = uuid.UUID(str(todo.id))
done = put_todos_by_id.sync(todo_id, client=client, body=UpdateTodoInput(completed=True))
assert (done.title, done.completed) == ("Find the moth", True), done
page = get_todos.sync(client=client, user_id=grace_id, completed=True)
assert [found.id for found in page.data] == [todo.id], page
assert get_todos.sync(client=client, user_id=grace_id, completed=False).pagination.total == 0
nobody = post_todos.sync_detailed(client=client, body=CreateTodoInput(title="Rest", user_id=uuid.uuid4()))
assert (nobody.status_code, code(nobody.parsed)) == (404, "USER_NOT_FOUND"), nobody
long = post_todos.sync_detailed(client=client, body=CreateTodoInput(title="a" * 201, user_id=grace_id))
assert (long.status_code, code(long.parsed)) == (400, "VALIDATION_ERROR"), long
assert [field.path for field in long.parsed.error.details.fields] == ["$.title"], long
assert delete_todos_by_id.sync_detailed(todo_id, client=client).status_code == 204
assert code(get_todos_by_id.sync(todo_id, client=client)) == "TODO_NOT_FOUND"

team = post_teams.sync(client=client, body=CreateTeamInput(name="Compilers", capacity=1))
team_id = uuid.UUID(str(team.id))
member = post_teams_by_id_members.sync(team_id, client=client, body=JoinTeamInput(user_id=grace_id))
assert member.user_id == grace_id, member
ada = post_users.sync(client=client, body=CreateUserInput(email="ada@example.com", display_name="Ada Lovelace"))
full = post_teams_by_id_members.sync_detailed(
    team_id, client=client, body=JoinTeamInput(user_id=uuid.UUID(str(ada.id)))
)
assert (full.status_code, code(full.parsed)) == (403, "TEAM_FULL"), full
assert len(get_teams_by_id.sync(team_id, client=client).members) == 1
left = delete_teams_by_id_members_by_user_id.sync_detailed(team_id, grace_id, client=client)
assert left.status_code == 204, left
assert get_teams_by_id.sync(team_id, client=client).members == []

print("done")
