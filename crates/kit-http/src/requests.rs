//! The requests that wait for their answers. They outlive their connections: a handler whose peer has left goes on
//! reading its request until it answers.

use std::rc::{Rc, Weak};

use slab::Slab;

use crate::link::Link;
use crate::request::{Request, RequestId};

pub(crate) struct Pending {
    serial: u32,
    /// Where the connection was; whether it still is there, `link.request` tells.
    pub(crate) connection: usize,
    /// Weak, so that a socket is closed with its connection and not with the last answer.
    pub(crate) link: Weak<Link>,
    pub(crate) request: Rc<Request>,
}

#[derive(Default)]
pub(crate) struct Requests {
    slab: Slab<Pending>,
    serial: u32,
}

impl Requests {
    /// Answers nothing where handlers have left so many requests unanswered that ids run out.
    pub(crate) fn insert(
        &mut self,
        connection: usize,
        link: &Rc<Link>,
        request: Rc<Request>,
    ) -> Option<RequestId> {
        if self.slab.len() >= RequestId::MAX_SLOTS {
            return None;
        }
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let pending = Pending {
            serial,
            connection,
            link: Rc::downgrade(link),
            request,
        };
        let slot = u32::try_from(self.slab.insert(pending)).ok()?;
        Some(RequestId { slot, serial })
    }

    pub(crate) fn len(&self) -> usize {
        self.slab.len()
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<Rc<Request>> {
        let pending = self.slab.get(usize::try_from(id.slot).ok()?)?;
        (pending.serial == id.serial).then(|| Rc::clone(&pending.request))
    }

    pub(crate) fn remove(&mut self, id: RequestId) -> Option<Pending> {
        let slot = usize::try_from(id.slot).ok()?;
        if self.slab.get(slot)?.serial != id.serial {
            return None;
        }
        self.slab.try_remove(slot)
    }
}
