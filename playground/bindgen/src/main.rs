//! Writes the JavaScript and the final WebAssembly for a web page: `ifs-bindgen INPUT.wasm FOLDER`.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = given.as_slice() else {
        eprintln!("expected an input and a folder: ifs-bindgen INPUT.wasm FOLDER");
        return ExitCode::from(2);
    };
    let made = Bindgen::new()
        .input_path(input)
        .web(true)
        // The page calls `init()` without a path.
        .and_then(|made| made.omit_default_module_path(false).typescript(false).generate(folder));
    if let Err(error) = made {
        eprintln!("{input}: {error:?}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
