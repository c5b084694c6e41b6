import { acceptedNames, type Phrase, phrase } from '#kernel/errors'
import { type ComparisonOperator, comparisonOperators, type Expression, type Literal, type Name } from './expression.ts'
import { readTokens, type Token } from './tokens.ts'

/** Why a text is no expression, and the index of the character at which it is none. */
export interface SyntaxFault {
  readonly at: number
  readonly reason: Phrase
}

/** Parses `or(eq(status, 'open'), has(labels, eq(name, 'urgent')))`. */
export function parseExpression(source: string): Expression | SyntaxFault {
  const parser = new Parser(readTokens(source))
  return parser.parse() ?? (parser.fault as SyntaxFault)
}

const operators = ['and', 'or', 'not', 'has', ...comparisonOperators]
const numberPattern = /^-?\d+(\.\d+)?$/

/** A method returns null after the first fault. */
class Parser {
  fault: SyntaxFault | null = null
  readonly #tokens: readonly Token[]
  #index = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): Expression | null {
    const expression = this.#expression()
    return expression && this.#take('end', phrase('the end of the expression')) && expression
  }

  #expression(): Expression | null {
    const operator = this.#take('word', phrase('an operator: {operators}', { operators }))
    if (!operator) return null
    const { text, at } = operator
    if (!operators.includes(text)) {
      return this.#fail(
        at,
        phrase("'{operator}' is no operator; accepted: {accepted}", {
          operator: text,
          accepted: acceptedNames(operators, text),
        }),
      )
    }
    if (!this.#take('(', quoted('('))) return null
    const expression = this.#operands(text, at)
    return expression && this.#take(')', quoted(')')) && expression
  }

  #operands(operator: string, at: number): Expression | null {
    switch (operator) {
      case 'and':
      case 'or': {
        const parts = this.#list(() => this.#expression())
        return parts && { kind: operator, at, parts }
      }
      case 'not': {
        const part = this.#expression()
        return part && { kind: 'not', at, part }
      }
      case 'has':
        return this.#has(at)
      default:
        return this.#comparison(operator as ComparisonOperator, at)
    }
  }

  #has(at: number): Expression | null {
    const relation = this.#name(phrase('the name of a relation'))
    if (!relation) return null
    if (!this.#next(',')) return { kind: 'has', at, relation, part: null }
    const part = this.#expression()
    return part && { kind: 'has', at, relation, part }
  }

  #comparison(operator: ComparisonOperator, at: number): Expression | null {
    const path = this.#name(phrase('the name of an attribute'))
    if (!path) return null
    if (operator === 'null') return { kind: 'comparison', at, operator, path, values: [] }
    if (!this.#take(',', quoted(','))) return null
    const values = operator === 'in' ? this.#list(() => this.#literal()) : this.#single()
    return values && { kind: 'comparison', at, operator, path, values }
  }

  #single(): readonly Literal[] | null {
    const value = this.#literal()
    return value && [value]
  }

  #list<Item>(read: () => Item | null): readonly Item[] | null {
    const items: Item[] = []
    do {
      const item = read()
      if (item === null) return null
      items.push(item)
    } while (this.#next(','))
    return items
  }

  #name(expected: Phrase): Name | null {
    const token = this.#take('word', expected)
    return token && { text: token.text, at: token.at }
  }

  #literal(): Literal | null {
    const { kind, text, at } = this.#token
    if (kind === 'text') return this.#read({ kind, text, at })
    if (kind === 'word' && numberPattern.test(text)) return this.#read({ kind: 'number', text, at })
    if (kind === 'word' && (text === 'true' || text === 'false')) return this.#read({ kind: 'boolean', text, at })
    return this.#expect(phrase('a value: a text in single quotes, a number, true or false'))
  }

  #read<Part>(part: Part): Part {
    this.#index++
    return part
  }

  get #token(): Token {
    return this.#tokens[this.#index] as Token
  }

  /** Skips a token of the kind. */
  #next(kind: Token['kind']): boolean {
    if (this.#token.kind !== kind) return false
    this.#index++
    return true
  }

  #take(kind: Token['kind'], expected: Phrase): Token | null {
    const token = this.#token
    return this.#next(kind) ? token : this.#expect(expected)
  }

  #expect(expected: Phrase): null {
    const { kind, at } = this.#token
    if (kind === 'open text') return this.#fail(at, phrase('the text has no closing quote.'))
    return this.#fail(at, phrase('expected {expected}.', { expected }))
  }

  #fail(at: number, reason: Phrase): null {
    this.fault ??= { at, reason }
    return null
  }
}

function quoted(mark: string): Phrase {
  return phrase("'{mark}'", { mark })
}
