//! Checks the assertions of a program forwards and backwards at once: whoever is done first
//! cancels the other. `cargo run --example race_directions -- FILE`

use derny::{Cancellation, Checker, Direction, Error, Limits, Model, Property, Report};
use std::sync::mpsc::channel;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1);
    let model = Model::read(file.unwrap_or("examples/lock-broken.bp".into()))?;
    let cancellation = Cancellation::new();
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for direction in [Direction::Forward, Direction::Backward] {
            let limits = Limits::new().cancellation(&cancellation);
            let (model, sender) = (&model, sender.clone());
            scope.spawn(move || {
                let report: Result<Report, Error> = Checker::new(model)
                    .property(Property::assertions())
                    .direction(direction)
                    .limits(&limits)
                    .check();
                // The receiver lives as long as the scope.
                drop(sender.send((direction, report)));
            });
        }
        let (direction, report) = receiver.recv()?;
        cancellation.cancel();
        println!("{direction:?} was faster:");
        for finding in report?.findings() {
            println!("{finding}");
        }
        Ok(())
    })
}
