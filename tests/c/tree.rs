//! What a typed tree promises, checked node by node: indices are in range, and the types of
//! operands are those that each kind of node says.

use derny::internals::typing::*;

pub fn check_tree(program: &Program) {
    let types = &program.types;
    let int = types.of(Integer::Int);
    let type_of = |id: ExpressionId| program.expressions[id.0 as usize].type_id;
    let place_type = |id: PlaceId| program.places[id.0 as usize].type_id;
    let is_integer = |id: ExpressionId| types.integer(type_of(id)).is_some();
    let is_pointer = |id: ExpressionId| types.target(type_of(id)).is_some();
    let is_scalar = |id: ExpressionId| types.is_scalar(type_of(id));
    let fits = |one: TypeId, other: TypeId| types.compatible(one, other);
    for expression in &program.expressions {
        let own = expression.type_id;
        let sound = match expression.kind {
            ExpressionKind::Constant(value) => {
                let integer = types.integer(own);
                integer.is_some_and(|integer| integer.holds(value, types.model))
            }
            ExpressionKind::Null => types.target(own).is_some(),
            ExpressionKind::Load(place) | ExpressionKind::Old(place) => place_type(place) == own,
            ExpressionKind::Address(place) => types
                .target(own)
                .is_some_and(|target| target.id == place_type(place)),
            ExpressionKind::Decay(place) => {
                matches!(types.get(place_type(place)), Type::Array(..))
                    && types.target(own).is_some()
            }
            ExpressionKind::Function(id) => {
                let function = program.functions[id.0 as usize].type_id;
                types
                    .target(own)
                    .is_some_and(|target| fits(target.id, function))
            }
            ExpressionKind::Convert(conversion, operand) => match conversion {
                Conversion::Integer => is_integer(operand) && types.integer(own).is_some(),
                Conversion::Truth => {
                    is_scalar(operand) && types.integer(own) == Some(Integer::Bool)
                }
                Conversion::Pointer => is_pointer(operand) && types.target(own).is_some(),
                Conversion::ToPointer => is_integer(operand) && types.target(own).is_some(),
                Conversion::FromPointer => is_pointer(operand) && types.integer(own).is_some(),
                Conversion::Void => own == Types::VOID,
            },
            ExpressionKind::Unary(Unary::Not, operand) => is_scalar(operand) && own == int,
            ExpressionKind::Unary(_, operand) => is_integer(operand) && type_of(operand) == own,
            ExpressionKind::Binary(operator, left, right) => {
                use Binary::*;
                match operator {
                    ShiftLeft | ShiftRight => {
                        type_of(left) == own && is_integer(left) && is_integer(right)
                    }
                    Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
                        own == int && is_scalar(left) && type_of(left) == type_of(right)
                    }
                    _ => is_integer(left) && type_of(left) == own && type_of(right) == own,
                }
            }
            ExpressionKind::PointerAdd { pointer, index, .. } => {
                type_of(pointer) == own && is_pointer(pointer) && is_integer(index)
            }
            ExpressionKind::PointerDifference(left, right) => {
                is_pointer(left)
                    && type_of(left) == type_of(right)
                    && types.integer(own) == Some(types.difference_integer())
            }
            ExpressionKind::Assign(place, value) => {
                fits(place_type(place), own) && fits(type_of(value), own)
            }
            ExpressionKind::Update { place, value, .. } => {
                place_type(place) == own && type_of(value) == own
            }
            ExpressionKind::And(left, right) | ExpressionKind::Or(left, right) => {
                is_scalar(left) && is_scalar(right) && own == int
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                is_scalar(condition) && fits(type_of(yes), own) && fits(type_of(no), own)
            }
            ExpressionKind::Elvis {
                value,
                conversion,
                no,
            } => {
                is_scalar(value)
                    && type_of(no) == own
                    && (conversion.is_some() || type_of(value) == own)
            }
            ExpressionKind::Comma(_, right) => type_of(right) == own,
            ExpressionKind::Call(callee, arguments) => check_call(program, callee, arguments, own),
            ExpressionKind::Statement(block) => {
                matches!(
                    program.statements[block.0 as usize].kind,
                    StatementKind::Block(_)
                )
            }
            ExpressionKind::Builtin(_, arguments) => arguments
                .indices()
                .all(|index| is_scalar(program.arguments[index])),
            ExpressionKind::Outside(_) => true,
        };
        let is_value = !matches!(
            types.get(own),
            Type::Array(..) | Type::Function(_) | Type::Unknown
        );
        assert!(sound && is_value, "{expression:?} is {:?}", types.get(own));
    }
    for place in &program.places {
        let sound = match place.kind {
            PlaceKind::Object(id) | PlaceKind::Compound(id, _) => {
                fits(program.objects[id.0 as usize].qualified.id, place.type_id)
            }
            PlaceKind::Target(pointer) => types
                .target(type_of(pointer))
                .is_some_and(|target| target.id == place.type_id),
            PlaceKind::Field(base, index) => {
                let record = types.record(place_type(base)).expect("it is a struct");
                let layout = record.layout.as_ref().expect("it is complete");
                layout.fields[index as usize].qualified.id == place.type_id
            }
            PlaceKind::Element(base, index) => match types.get(place_type(base)) {
                Type::Array(element, _) => element.id == place.type_id && is_integer(index),
                _ => false,
            },
            PlaceKind::Temporary(value) => type_of(value) == place.type_id,
        };
        assert!(sound, "{place:?}");
    }
    for write in &program.writes {
        if let Written::Value(value) = write.value {
            assert!(fits(type_of(value), place_type(write.place)), "{write:?}");
        }
    }
    check_statements(program);
    check_functions(program);
}

fn check_call(program: &Program, callee: Callee, arguments: List, own: TypeId) -> bool {
    let types = &program.types;
    let type_of = |id: ExpressionId| program.expressions[id.0 as usize].type_id;
    let called = match callee {
        Callee::Function(id) => program.functions[id.0 as usize].type_id,
        Callee::Pointer(value) => match types.target(type_of(value)) {
            Some(target) => target.id,
            None => return false,
        },
    };
    let signature = types.signature(called).expect("it is a function");
    let body = match callee {
        Callee::Function(id) => program.functions[id.0 as usize].body.as_ref(),
        Callee::Pointer(_) => None,
    };
    let given: Vec<TypeId> = arguments
        .indices()
        .map(|index| type_of(program.arguments[index]))
        .collect();
    let expected: Vec<TypeId> = match (&signature.parameters, body) {
        (Some(parameters), _) => parameters.to_vec(),
        (None, Some(body)) => {
            let objects = body.parameters.iter();
            objects
                .map(|id| program.objects[id.0 as usize].qualified.id)
                .collect()
        }
        (None, None) => given.clone(),
    };
    // A function that was called before it was declared may have got another type since.
    let is_early = !types.compatible(signature.result, own);
    is_early
        || (given.len() >= expected.len()
            && given
                .iter()
                .zip(&expected)
                .all(|(one, other)| types.compatible(*one, *other)))
}

fn check_statements(program: &Program) {
    let types = &program.types;
    let is_scalar = |id: ExpressionId| types.is_scalar(program.expressions[id.0 as usize].type_id);
    let mut inside = vec![0_u32; program.statements.len()];
    let mut enter = |id: StatementId| inside[id.0 as usize] += 1;
    for statement in &program.statements {
        match statement.kind {
            StatementKind::Block(list) => {
                program.blocks[list.indices()]
                    .iter()
                    .copied()
                    .for_each(&mut enter);
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                assert!(is_scalar(condition));
                enter(then);
                otherwise.into_iter().for_each(&mut enter);
            }
            StatementKind::While { condition, body } => {
                assert!(is_scalar(condition));
                enter(body);
            }
            StatementKind::Do {
                condition, body, ..
            } => {
                assert!(is_scalar(condition));
                enter(body);
            }
            StatementKind::For {
                initial,
                condition,
                body,
                ..
            } => {
                assert!(condition.is_none_or(is_scalar));
                initial.into_iter().for_each(&mut enter);
                enter(body);
            }
            StatementKind::Switch { body, cases, .. } => {
                let cases = &program.cases[cases.indices()];
                assert!(cases.iter().all(|case| case.low <= case.high));
                assert!(cases.is_sorted_by(|one, other| one.high < other.low));
                enter(body);
            }
            StatementKind::Labelled(label, body) => {
                let target = program.labels[label.0 as usize].statement;
                let kind = program.statements[target.0 as usize].kind;
                assert!(matches!(kind, StatementKind::Labelled(own, _) if own == label));
                enter(body);
            }
            StatementKind::Goto(label) => {
                let target = program.labels[label.0 as usize].statement;
                let kind = program.statements[target.0 as usize].kind;
                assert!(matches!(kind, StatementKind::Labelled(..)));
            }
            StatementKind::Break(target) | StatementKind::Continue(target) => {
                let kind = program.statements[target.0 as usize].kind;
                assert!(matches!(
                    kind,
                    StatementKind::While { .. }
                        | StatementKind::Do { .. }
                        | StatementKind::For { .. }
                        | StatementKind::Switch { .. }
                ));
            }
            _ => {}
        }
    }
    assert!(
        inside.iter().all(|count| *count <= 1),
        "a statement is in two places"
    );
}

fn check_functions(program: &Program) {
    for function in &program.functions {
        assert!(program.types.signature(function.type_id).is_some());
        let Some(body) = &function.body else {
            continue;
        };
        let kind = program.statements[body.block.0 as usize].kind;
        assert!(matches!(kind, StatementKind::Block(_)));
        for parameter in &body.parameters {
            let object = &program.objects[parameter.0 as usize];
            assert_eq!(object.storage, Storage::Parameter);
        }
        for object in &body.objects {
            assert_ne!(
                program.objects[object.0 as usize].storage,
                Storage::Parameter
            );
        }
    }
}
