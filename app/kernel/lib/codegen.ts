/** A part of a text: a literal, or the code of an expression. */
export type Part = string | { readonly code: string }

/** The code of one member of a JSON object. */
export interface MemberCode {
  readonly parts: readonly Part[]
  /** Whether every object has the member; otherwise the text may be empty. */
  readonly always: boolean
}

/** Returns the expression that concatenates the parts; adjacent literals become one. */
export function concatenation(parts: readonly Part[]): string {
  const terms: string[] = []
  let literal = ''
  for (const part of parts) {
    if (typeof part === 'string') literal += part
    else {
      terms.push(JSON.stringify(literal), part.code)
      literal = ''
    }
  }
  return [...terms, JSON.stringify(literal)].join(' + ')
}

/** The values, constants and variables of compiled code, besides its parameters. */
export class CodeScope {
  readonly #values: unknown[] = []
  readonly #constants: string[] = []
  #variables = 0

  /** Returns the name of an outer value. */
  bind(value: unknown): string {
    if (!this.#values.includes(value)) this.#values.push(value)
    return `value${this.#values.indexOf(value) + 1}`
  }

  /** Returns the name of a constant, whose expression is evaluated once for many calls. */
  constant(code: string): string {
    return `constant${this.#constants.push(code)}`
  }

  /** Returns the name of a new variable. */
  variable(): string {
    this.#variables += 1
    return `variable${this.#variables}`
  }

  /** Compiles `(outer) => (inner) => …`. Constants belong to the outer function, variables to the inner function. */
  compile<Compiled>(outer: string, inner: string, body: string): Compiled {
    const constants = this.#constants.map((code, index) => `const constant${index + 1} = ${code};`).join(' ')
    const variables = this.#variables > 0 ? `let ${numbered('variable', this.#variables)};` : ''
    const source = `return (${outer}) => { ${constants} return (${inner}) => { ${variables} ${body} } }`
    return new Function(numbered('value', this.#values.length), `'use strict'; ${source}`)(...this.#values)
  }
}

function numbered(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => name + (index + 1)).join()
}
