//! kit-node-server
