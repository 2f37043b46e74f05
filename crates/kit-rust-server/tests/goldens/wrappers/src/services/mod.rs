//! Code that handlers share: rules of the application, independent of HTTP.
