"""Calls Notes through the client that openapi-python-client makes of its document."""

import datetime
import sys

from notes_client import AuthenticatedClient, Client
from notes_client.api.notes import (
    delete_notes_by_id,
    get_notes,
    get_notes_by_id,
    post_notes,
    put_notes_by_id,
)
from notes_client.models.error import Error
from notes_client.models.note import Note
from notes_client.models.post_notes_body import PostNotesBody
from notes_client.models.update_note_input import UpdateNoteInput

url = sys.argv[1]
client = AuthenticatedClient(base_url=url, token="ada:user", raise_on_unexpected_status=True)

before = datetime.datetime.now(datetime.timezone.utc)
created = post_notes.sync_detailed(client=client, body=PostNotesBody(title="Groceries", content="Milk"))
assert created.status_code == 201, created
note = created.parsed
assert isinstance(note, Note), note
assert (note.title, note.content, note.author_id, note.archived) == ("Groceries", "Milk", "ada", False), note
assert abs(note.created_at - before) < datetime.timedelta(minutes=5), note.created_at
assert note.created_at.tzinfo is not None

page = get_notes.sync(client=client, page=1, page_size=10)
assert [summary.id for summary in page.data] == [note.id], page
assert page.data[0].created_at == note.created_at
assert (page.pagination.total, page.pagination.page_size) == (1, 10), page.pagination

read = get_notes_by_id.sync(note.id, client=client)
assert read == note, read

changed = put_notes_by_id.sync(note.id, client=client, body=UpdateNoteInput(archived=True))
assert isinstance(changed, Note), changed
assert (changed.title, changed.archived) == ("Groceries", True), changed

refused = post_notes.sync_detailed(client=client, body=PostNotesBody(title="", content="Milk"))
assert refused.status_code == 400, refused
assert isinstance(refused.parsed, Error), refused
assert refused.parsed.error.code == "VALIDATION_ERROR", refused
assert [field.path for field in refused.parsed.error.details.fields] == ["$.title"], refused

stranger = get_notes.sync(client=Client(base_url=url))
assert isinstance(stranger, Error) and stranger.error.code == "UNAUTHORIZED", stranger

deleted = delete_notes_by_id.sync_detailed(note.id, client=client)
assert (deleted.status_code, deleted.content) == (204, b""), deleted
missing = get_notes_by_id.sync_detailed(note.id, client=client)
assert missing.status_code == 404, missing
assert missing.parsed.error.code == "NOTE_NOT_FOUND" and missing.parsed.error.trace_id, missing

print("done")
