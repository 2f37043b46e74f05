//! What handlers share: rules of the application that know no HTTP.
