//! Bebop's T(N) (Figure 4 of its paper): N procedures that each call the next one twice.
//!
//! Without recursion, but with exponentially many executions; the question is whether the
//! label `reach` can be reached, and the answer is yes. Moped's variant, in Remopla, counts
//! with one integer from 0 to 7 instead of three truth values.

use std::io::{self, Write};

/// Writes T(N) as a boolean program.
pub fn write(n: u32, out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"decl g;

void main()
begin
  level1();
  level1();
  if (!g) then
    reach: skip;
  else
    skip;
  fi
end
",
    )?;
    for i in 1..=n {
        let statement = statement(i, n);
        write!(
            out,
            "
void level{i}()
begin
  decl a, b, c;
  if (g) then
    a, b, c := 0, 0, 0;
    while (!a | !b | !c) do
      if (!a) then
        a := 1;
      elsif (!b) then
        a, b := 0, 1;
      elsif (!c) then
        a, b, c := 0, 0, 1;
      fi
    od
  else
    {statement};
    {statement};
  fi
  g := !g;
end
"
        )?;
    }
    Ok(())
}

/// Writes T(N) in Remopla, with one integer.
pub fn write_with_integer(n: u32, out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"bool g;

init main;

module void main()
{
  level1();
  level1();
  if
  :: !g -> reach: skip;
  :: else -> skip;
  fi
}
",
    )?;
    for i in 1..=n {
        let statement = statement(i, n);
        write!(
            out,
            "
module void level{i}()
{{
  int n(3);
  if
  :: g ->
    n = 0;
    do
    :: n < 7 -> n = n + 1;
    :: else -> break;
    od
  :: else ->
    {statement};
    {statement};
  fi
  g = !g;
}}
"
        )?;
    }
    Ok(())
}

/// What a level does twice: it calls the next one, if there is one.
fn statement(i: u32, n: u32) -> String {
    match i == n {
        true => "skip".to_owned(),
        false => format!("level{}()", i + 1),
    }
}
