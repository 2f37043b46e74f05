//! Tells the linker to leave the symbols of Node-API undefined. Node provides them when it loads the addon.

fn main() {
    napi_build::setup();
}
