//! Requests that wait for their responses. They exist longer than their connections: if a client disconnects, the
//! handler can still read its request until it responds.

use std::rc::{Rc, Weak};

use slab::Slab;

use crate::http2::Exchange;
use crate::link::Link;
use crate::request::{Request, RequestId};

pub(crate) struct Pending {
    serial: u32,
    /// Index of the connection in the engine's list. If `link.request` returns another id, the connection no longer
    /// belongs to this request.
    pub(crate) connection: usize,
    /// Connection of the request. The reference is weak, because the socket must be closed when the
    /// connection ends, even if the request has no response yet.
    pub(crate) link: Weak<Link>,
    /// State of the request, if it is one of HTTP/2. The reference is weak, because the connection owns the state.
    pub(crate) exchange: Option<Weak<Exchange>>,
    pub(crate) request: Rc<Request>,
}

#[derive(Default)]
pub(crate) struct Requests {
    slab: Slab<Pending>,
    serial: u32,
}

impl Requests {
    /// Adds a request. Returns `None` if too many requests wait for responses, so that no id is free.
    pub(crate) fn insert(
        &mut self,
        connection: usize,
        link: &Rc<Link>,
        exchange: Option<&Rc<Exchange>>,
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
            exchange: exchange.map(Rc::downgrade),
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

    /// Returns the connection of a request. Returns `None` if the connection has ended.
    pub(crate) fn link(&self, id: RequestId) -> Option<Rc<Link>> {
        let pending = self.slab.get(usize::try_from(id.slot).ok()?)?;
        (pending.serial == id.serial).then(|| pending.link.upgrade())?
    }

    pub(crate) fn remove(&mut self, id: RequestId) -> Option<Pending> {
        let slot = usize::try_from(id.slot).ok()?;
        if self.slab.get(slot)?.serial != id.serial {
            return None;
        }
        self.slab.try_remove(slot)
    }
}
