//! How values pass between a frame and the one below it, as BDDs and renamings.

use super::Interface;
use super::assembly::InterfaceVariables;
use super::copies::{Copies, Copy};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;

/// The interface of frames with these variables; `initial` constrains variables outside
/// the key when a frame is entered.
pub fn make_interface(
    copies: &Copies<'_>,
    handing: &InterfaceVariables<'_>,
    initial: &Bdd,
) -> Result<Interface, OutOfNodes> {
    let InterfaceVariables {
        key,
        rigid,
        handed,
        lost,
    } = *handing;
    let bdds = copies.bdds;
    let key_in = |copy| bits::members(key).map(move |v| copies.level(v, copy));
    let handed_in = |copy| bits::members(handed).map(move |v| copies.level(v, copy));
    let next_to_current = || key_in(Copy::Next).zip(key_in(Copy::Current));
    let not_rigid = bits::members(key).filter(|v| !bits::contains(rigid, *v));
    let next_to_entry =
        not_rigid.map(|v| (copies.level(v, Copy::Next), copies.level(v, Copy::Entry)));
    let edge_to_next = bits::members(key).map(|v| {
        let copy = match bits::contains(rigid, v) {
            true => Copy::Current,
            false => Copy::Entry,
        };
        (copies.level(v, copy), copies.level(v, Copy::Next))
    });
    let unchanged = |variables: &[u64]| -> BddResult {
        let mut equal = bdds.constant(true);
        for variable in bits::members(variables) {
            let current = copies.variable(variable, Copy::Current);
            let same = bdds.equivalent(&current, &copies.variable(variable, Copy::Entry))?;
            equal = bdds.and(&equal, &same)?;
        }
        Ok(equal)
    };
    let all_but = |variables: &[u64]| {
        let others = (0..copies.data_variables()).filter(|v| !bits::contains(variables, *v));
        copies.cube(others.map(|v| copies.level(v, Copy::Current)))
    };
    let lost_current = bits::members(lost).map(|v| copies.level(v, Copy::Current));
    let enter = copies.renaming(next_to_current().chain(next_to_entry))?;
    let enter_current = copies.renaming(next_to_current())?;
    Ok(Interface {
        key: bits::members(key).collect(),
        handed: bits::members(handed).collect(),
        rigid: bits::members(rigid).collect(),
        initial: initial.clone(),
        enter: enter.constrained(bdds, initial)?,
        enter_current: enter_current.constrained(bdds, initial)?,
        key_to_next: copies.renaming(key_in(Copy::Current).zip(key_in(Copy::Next)))?,
        leave: copies
            .renaming(edge_to_next)?
            .forgetting(copies, lost_current)?,
        key_next: copies.cube(key_in(Copy::Next))?,
        not_key: all_but(key)?,
        not_handed: all_but(handed)?,
        rigid_equal: unchanged(rigid)?,
        handed_equal: unchanged(handed)?,
        handed_to_next: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Next)))?,
        handed_to_entry: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Entry)))?,
        handed_entry_to_next: copies.renaming(handed_in(Copy::Entry).zip(handed_in(Copy::Next)))?,
        handed_entry_to_current: copies
            .renaming(handed_in(Copy::Entry).zip(handed_in(Copy::Current)))?,
        handed_next: copies.cube(handed_in(Copy::Next))?,
    })
}
