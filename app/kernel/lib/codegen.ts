/** A part of a text: said as it is, or the code of an expression that gives it. */
export type Part = string | { readonly code: string }

/** One member of an object as code. */
export interface MemberCode {
  readonly parts: readonly Part[]
  /** Whether it is there in every object; otherwise it may be an empty text. */
  readonly always: boolean
}

/** The expression that puts the parts together; what is said side by side becomes one literal. */
export function concatenation(parts: readonly Part[]): string {
  const terms: string[] = []
  let said = ''
  for (const part of parts) {
    if (typeof part === 'string') said += part
    else {
      terms.push(JSON.stringify(said), part.code)
      said = ''
    }
  }
  return [...terms, JSON.stringify(said)].join(' + ')
}

/** What compiled code speaks of besides its parameters. */
export class CodeScope {
  readonly #values: unknown[] = []
  readonly #constants: string[] = []
  #variables = 0

  /** The name of a value from outside. */
  bind(value: unknown): string {
    if (!this.#values.includes(value)) this.#values.push(value)
    return `value${this.#values.indexOf(value) + 1}`
  }

  /** The name of what an expression gives; it is evaluated once for many calls. */
  constant(code: string): string {
    return `constant${this.#constants.push(code)}`
  }

  /** The name of a variable, to keep what is needed twice. */
  variable(): string {
    this.#variables += 1
    return `variable${this.#variables}`
  }

  /** `(outer) => (inner) => …`: the constants are evaluated in the outer function, the variables are the inner one's. */
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
