//! kit-typescript
