import type { ExpressionError } from '../expression.js'

/** Thrown only inside the parser; `parsePattern` turns it into a value. */
export class SyntaxFault extends Error {
  readonly error: ExpressionError

  constructor(message: string, offset: number, code: 'pcre2_syntax' | 'pcre2_too_complex' = 'pcre2_syntax') {
    super(message)
    this.error = { code, offset, message }
  }
}
