//! Services that handlers share: rules of the application without HTTP.
