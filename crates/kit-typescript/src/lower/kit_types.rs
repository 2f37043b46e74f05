//! Types of kit at locations that need a type of values.

use kit_diagnostics::codes;
use kit_ir::TypeId;

use super::Lowering;
use crate::eval::KitType;

impl Lowering<'_> {
    /// Reports a type of kit such as `Reply` at a location that needs a type of values.
    pub(super) fn not_a_value(&mut self, kind: KitType) -> TypeId {
        let help = "write a type whose values JSON can represent, such as an interface";
        match kind {
            KitType::RouteContract | KitType::Route => self.no_json("a route contract", help),
            KitType::Reply => self.refused(
                codes::INVALID_REPLY,
                "`Reply<…>` is not a type of values",
                "write replies only as the `response` of a contract: `response: Reply<201, Order> | Reply<202, Job>`",
            ),
            KitType::Failure => self.refused(
                codes::INVALID_FAILURE,
                "`Failure<…>` is not a type of values",
                "write failures only as the `errors` of a contract: `errors: Failure<409, \"SOLD_OUT\">`",
            ),
            KitType::Wrapper | KitType::Middleware => self.no_json("middleware", help),
            KitType::Socket => self.refused(
                codes::INVALID_SOCKET,
                "`Socket<…>` is not a type of values",
                "write `Socket` only as the slot `socket` of a contract: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`",
            ),
            KitType::Upload | KitType::Uploads => {
                let name = kind.name();
                let help = format!(
                    "write `{name}` only as a part of a multipart body: `Route<{{ body: Multipart<{{ video: {name} }}> }}>`"
                );
                self.refused(codes::INVALID_BODY, &format!("`{name}` is not a type of values"), &help)
            }
            KitType::Download => self.refused(
                codes::INVALID_BODY,
                "`Download<…>` is not a type of values",
                "write `Download` only as the whole response of a contract: `Route<{ response: Download<…> }>`",
            ),
            body => {
                let name = body.name();
                let help = format!(
                    "write `{name}` only as the whole body or response of a contract: `Route<{{ body: {name}<…> }}>`"
                );
                self.refused(codes::INVALID_BODY, &format!("`{name}<…>` is not a type of values"), &help)
            }
        }
    }
}
