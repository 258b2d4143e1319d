#![expect(clippy::disallowed_methods, reason = "a scratch pad that measures")]
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let p = std::path::Path::new(&path);
    let world = ifs::world::FolderWorld::new(p.parent().unwrap()).unwrap();
    let t = std::time::Instant::now();
    let c = ifs::model::check(&world, p.file_name().unwrap().to_str().unwrap());
    eprintln!("check {:?}", t.elapsed());
    for d in &c.diagnostics.list {
        println!(
            "{:?} {} {} {:?} {:?}",
            d.severity,
            d.code,
            d.message,
            d.labels
                .iter()
                .map(|l| (c.sources.name(l.span.file), c.sources.line_column(l.span), &l.text))
                .collect::<Vec<_>>(),
            d.help
        );
    }
    let Some(model) = c.model else { return };
    let plan = ifs::plan::build(model);
    let t = std::time::Instant::now();
    println!("{}", plan.hash());
    eprintln!("hash {:?}", t.elapsed());
    let Some(name) = plan.dialogues.first().map(|d| d.table.name.clone()) else { return };
    let t = std::time::Instant::now();
    let drawer = ifs::script::Drawer::new(&plan, &name).unwrap();
    eprintln!("drawer {:?}", t.elapsed());
    for turn in drawer.script(ifs::script::Seed(1), 0).take(14) {
        let turn = turn.unwrap();
        println!(
            "--- {} {} [{}] {:?}\n{}",
            turn.turn,
            turn.transition,
            turn.topic,
            turn.in_force
                .iter()
                .map(|a| format!(
                    "{}{:?}",
                    a.constraint,
                    a.args.iter().map(|(_, v)| v.to_string()).collect::<Vec<_>>()
                ))
                .collect::<Vec<_>>(),
            turn.ask
        );
    }
    let t = std::time::Instant::now();
    let mut n = 0;
    for i in 0..150 {
        for turn in drawer.script(ifs::script::Seed(1), i).take(30) {
            n += serde_json::to_string(&turn.unwrap()).unwrap().len();
        }
    }
    eprintln!("draw 150x30 {:?} {} bytes", t.elapsed(), n);
}
