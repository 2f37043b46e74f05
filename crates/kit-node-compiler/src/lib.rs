//! kit-node-compiler
