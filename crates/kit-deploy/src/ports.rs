//! Ports of an application, each of which only one of its servers can use.

use crate::deployment::Deployment;

/// A port that two servers of one application would use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConflict {
    /// The port.
    pub port: u16,
    /// Names of both servers.
    pub servers: [&'static str; 2],
}

impl Deployment {
    /// Returns a port that two servers of the application would use. The application would not start.
    pub fn port_conflict(&self) -> Option<PortConflict> {
        let servers = [
            ("the application", Some(self.port)),
            ("the redirects from plain HTTP", self.redirect_port()),
            ("the metrics", self.metrics),
        ];
        let used = servers.iter().filter_map(|(name, port)| Some((*name, (*port)?)));
        used.clone().enumerate().find_map(|(number, (second, port))| {
            let (first, _) = used.clone().take(number).find(|(_, other)| *other == port)?;
            Some(PortConflict {
                port,
                servers: [first, second],
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use kit_ir::Program;

    use crate::{Choices, Deployment, NodeProgram, Project, Runtime};

    #[test]
    fn two_servers_of_an_application_cannot_have_one_port() {
        let conflict = |port: u16, redirect: Option<u16>, metrics: Option<u16>| {
            let project = Project {
                name: "shop",
                version: "1.0.0",
                runtime: Runtime::Node(NodeProgram::default()),
                worker: None,
                has_migrations: false,
                read_variables: &[],
            };
            let choices = Choices {
                port: Some(port),
                tls: Some(true),
                redirect_port: redirect,
                ..Choices::default()
            };
            let mut deployment = Deployment::new(&Program::default(), &project, &choices);
            deployment.metrics = metrics;
            let conflict = deployment.port_conflict();
            conflict.map(|conflict| (conflict.port, conflict.servers))
        };
        let (own, redirects, metrics) = ("the application", "the redirects from plain HTTP", "the metrics");
        assert_eq!(conflict(8443, Some(8443), None), Some((8443, [own, redirects])));
        assert_eq!(conflict(9464, Some(80), Some(9464)), Some((9464, [own, metrics])));
        assert_eq!(
            conflict(443, Some(80), Some(80)),
            Some((80, [redirects, metrics]))
        );
        assert_eq!(conflict(443, Some(80), Some(9464)), None);
        assert_eq!(conflict(443, None, None), None);
    }
}
