fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut d = ifs::diagnostic::Diagnostics::default();
    let ast = ifs::syntax::parse(ifs::source::FileId(0), &text, &mut d);
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
}
