//! Store of notes in memory.

use std::collections::{HashMap, VecDeque};

use chrono::DateTime;
use uuid::{Uuid, uuid};

use crate::notes::Note;

/// Maximum number of notes in addition to the one that the requests read. If it is exceeded, the oldest note
/// is removed.
const CAPACITY: usize = 1000;
const KNOWN: Uuid = uuid!("6f1c2f0e-9f5d-4a3b-8e0a-3d7b1c5e2a10");

pub struct Store {
    notes: HashMap<Uuid, Note>,
    order: VecDeque<Uuid>,
}

impl Default for Store {
    fn default() -> Self {
        let time = DateTime::from_timestamp(1_767_261_600, 0).unwrap_or_default();
        let known = Note {
            id: KNOWN,
            title: "Groceries".to_owned(),
            content: "Milk, eggs, flour".to_owned(),
            author_id: "ada".to_owned(),
            archived: false,
            created_at: time,
            updated_at: time,
        };
        Self {
            notes: HashMap::from([(KNOWN, known)]),
            order: VecDeque::new(),
        }
    }
}

impl Store {
    pub fn find(&self, id: Uuid) -> Option<&Note> {
        self.notes.get(&id)
    }

    pub fn add(&mut self, note: Note) {
        self.order.push_back(note.id);
        self.notes.insert(note.id, note);
        if self.order.len() >= CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.notes.remove(&oldest);
        }
    }
}
