fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut d = ifs::diagnostic::Diagnostics::default();
    let begun = std::time::Instant::now();
    let ast = ifs::syntax::parse(ifs::source::FileId(0), &text, &mut d);
    eprintln!("parsed {} bytes in {:?}", text.len(), begun.elapsed());
    let begun = std::time::Instant::now();
    let length = ifs::syntax::format(&ast, &text).len();
    eprintln!("formatted {length} bytes in {:?}", begun.elapsed());
    let mut sources = ifs::source::Sources::default();
    sources.add("x", text.as_str());
    println!("{} items, {} comments", ast.items.len(), ast.comments.len());
    for d in &d.list {
        println!(
            "{} {} {:?} {:?}",
            d.code,
            d.message,
            d.labels
                .iter()
                .map(|l| (sources.line_column(l.span), sources.text(l.span)))
                .collect::<Vec<_>>(),
            d.help
        );
    }
    if std::env::args().nth(2).is_some() {
        print!("{}", ifs::syntax::format(&ast, &text));
    }
}
