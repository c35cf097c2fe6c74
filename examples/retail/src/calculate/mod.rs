//! Arithmetic for the `calculate` tool: `+`, `-`, `*`, `/` and parentheses over decimal numbers.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = { "+" | "-" } atom
//! atom    = number | "(" sum ")"
//! ```

mod ratio;

use ratio::Ratio;

/// How deep parentheses may be nested.
pub const MAX_DEPTH: usize = 32;

/// Computes `expression` exactly and rounds the result to two decimals, half a cent away from zero.
pub fn calculate(expression: &str) -> Result<String, CalculateError> {
    let mut parser = Parser { text: expression, position: 0, depth: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        None => value.to_two_decimals().ok_or(CalculateError::TooLarge),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

/// Why an expression has no value. Positions count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalculateError {
    /// A character that is not allowed at its position.
    #[error(
        "expected {expected} at position {position}, found `{found}`; write numbers, + - * / and parentheses only"
    )]
    Unexpected {
        /// What is allowed there.
        expected: &'static str,
        /// Its position.
        position: usize,
        /// The character.
        found: char,
    },
    /// The expression ends too early.
    #[error("the expression ends where {expected} should follow")]
    Unfinished {
        /// What should follow.
        expected: &'static str,
    },
    /// A division by zero.
    #[error("division by zero at position {position}")]
    DivisionByZero {
        /// The position of the `/`.
        position: usize,
    },
    /// Parentheses are nested too deep.
    #[error("parentheses are nested more than {MAX_DEPTH} deep; compute the parts one by one")]
    TooDeep,
    /// A number or a step of the computation needs too many digits.
    #[error("a number is too large or has too many digits; compute with fewer digits")]
    TooLarge,
}

struct Parser<'a> {
    text: &'a str,
    /// In bytes, always between two characters.
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Ratio, CalculateError> {
        let mut left = self.product()?;
        while let Some(operator @ ('+' | '-')) = self.peek() {
            self.advance(operator);
            let right = self.product()?;
            let result = if operator == '+' { left.add(right) } else { left.subtract(right) };
            left = result.ok_or(CalculateError::TooLarge)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Ratio, CalculateError> {
        let mut left = self.signed()?;
        while let Some(operator @ ('*' | '/')) = self.peek() {
            let position = self.character_position();
            self.advance(operator);
            let right = self.signed()?;
            if operator == '/' && right.is_zero() {
                return Err(CalculateError::DivisionByZero { position });
            }
            let result = if operator == '*' { left.multiply(right) } else { left.divide(right) };
            left = result.ok_or(CalculateError::TooLarge)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Ratio, CalculateError> {
        let mut negative = false;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.advance(sign);
            negative ^= sign == '-';
        }
        let value = self.atom()?;
        if negative { value.negate().ok_or(CalculateError::TooLarge) } else { Ok(value) }
    }

    fn atom(&mut self) -> Result<Ratio, CalculateError> {
        match self.peek() {
            Some('(') => self.parenthesised(),
            Some('0'..='9' | '.') => self.number(),
            _ => Err(self.unexpected("a number or `(`")),
        }
    }

    fn parenthesised(&mut self) -> Result<Ratio, CalculateError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CalculateError::TooDeep);
        }
        self.advance('(');
        let value = self.sum()?;
        if self.peek() != Some(')') {
            return Err(self.unexpected("an operator or `)`"));
        }
        self.advance(')');
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<Ratio, CalculateError> {
        let rest = &self.text[self.position..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = &rest[..end];
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            self.position += end;
            return Err(self.unexpected("a digit after the point"));
        }
        if let Some(second_point) = fraction.find('.') {
            self.position += whole.len() + 1 + second_point;
            return Err(self.unexpected("a digit, an operator or the end"));
        }
        self.position += end;
        Ratio::from_decimal(whole, fraction).ok_or(CalculateError::TooLarge)
    }

    /// The next character that is not white space, if any; skips white space before it.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
        self.text[self.position..].chars().next()
    }

    /// Moves past `character`, which [`Self::peek`] returned.
    fn advance(&mut self, character: char) {
        self.position += character.len_utf8();
    }

    fn unexpected(&mut self, expected: &'static str) -> CalculateError {
        match self.peek() {
            Some(found) => {
                CalculateError::Unexpected { expected, position: self.character_position(), found }
            }
            None => CalculateError::Unfinished { expected },
        }
    }

    fn character_position(&self) -> usize {
        self.text[..self.position].chars().count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::{CalculateError, MAX_DEPTH, calculate};

    fn check(expression: &str, expected: &str) {
        assert_eq!(calculate(expression).as_deref(), Ok(expected), "{expression}");
    }

    fn check_error(expression: &str, expected: &str) {
        let error = calculate(expression).expect_err(expression);
        assert_eq!(error.to_string(), expected, "{expression}");
    }

    #[test]
    fn values() {
        check("1 + 2 * 3", "7.00");
        check("(1 + 2) * 3", "9.00");
        check("10 - 4 - 3", "3.00");
        check("100 / 10 / 2", "5.00");
        check("-2 * -(3 - 5)", "-4.00");
        check("2 - -2 + +1", "5.00");
        check("  129.90*2+ .5 ", "260.30");
        check("5. / 2", "2.50");
        check("0", "0.00");
    }

    #[test]
    fn results_are_exact_and_rounded_half_away_from_zero() {
        check("0.1 + 0.2", "0.30");
        check("1.005", "1.01");
        check("-1.005", "-1.01");
        check("1 / 3 * 3", "1.00");
        check("2 / 3", "0.67");
        check("-0.001", "0.00");
    }

    #[test]
    fn errors() {
        check_error("", "the expression ends where a number or `(` should follow");
        check_error("1 +", "the expression ends where a number or `(` should follow");
        check_error("(1 + 2", "the expression ends where an operator or `)` should follow");
        check_error("7 / (2 - 2)", "division by zero at position 3");
        let hint = "write numbers, + - * / and parentheses only";
        check_error("1 2", &format!("expected an operator or the end at position 3, found `2`; {hint}"));
        check_error(
            "1.2.3",
            &format!("expected a digit, an operator or the end at position 4, found `.`; {hint}"),
        );
        check_error("2 ** 3", &format!("expected a number or `(` at position 4, found `*`; {hint}"));
        check_error("é + 1", &format!("expected a number or `(` at position 1, found `é`; {hint}"));
        check_error("1 + price", &format!("expected a number or `(` at position 5, found `p`; {hint}"));
        check_error("1)", &format!("expected an operator or the end at position 2, found `)`; {hint}"));
        check_error(".", "the expression ends where a digit after the point should follow");
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        check(&nested(MAX_DEPTH), "1.00");
        assert_eq!(calculate(&nested(MAX_DEPTH + 1)), Err(CalculateError::TooDeep));
        assert_eq!(calculate(&"(".repeat(1_000_000)), Err(CalculateError::TooDeep));
        check(&format!("{}1", "-".repeat(1_000_000)), "1.00");
        check(&["(1)"; 100].join("+"), "100.00");
        assert_eq!(calculate(&"9".repeat(40)), Err(CalculateError::TooLarge));
        assert_eq!(calculate(&["9999999999"; 8].join("*")), Err(CalculateError::TooLarge));
    }
}
