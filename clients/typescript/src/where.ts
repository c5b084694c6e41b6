import type { Part, RelationOf, RelationPart, RelationsOf, TargetOf } from './rows.ts'

// Expressions of `filter[where]`: `filter: { where: ({ or, eq, gt }) => or(eq('status', 'open'), gt('priority', 3)) }`.

/** An expression on resources of a type. */
export interface Expression<in Type extends string = string> {
  readonly text: string
  readonly of?: (type: Type) => void
}

/** The filter of a query. Types without filterable fields have none. */
export type WhereFilter<Types, Type> = [Part<Types, Type, 'filterable'>] extends [never]
  ? unknown
  : keyof Part<Types, Type, 'filterable'> extends never
    ? unknown
    : { readonly where?: string | Where<Types, Type & string> }

/** Composes an expression from operators that know the names and values of a type. */
export type Where<Types, Type extends string> = (operators: Operators<Types, Type>) => Expression<Type>

export interface Operators<Types, Type extends string> {
  and(...parts: Parts<Type>): Expression<Type>
  or(...parts: Parts<Type>): Expression<Type>
  not(part: Expression<Type>): Expression<Type>
  /** Requires a related resource; with a second argument one that matches it. */
  has<Name extends NamesOf<Types, Type, 'relation'>>(
    relation: Name,
    where?: Where<Types, TargetOf<Types, Type, Name>>,
  ): Expression<Type>
  eq<Path extends Paths<Types, Type>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  ne<Path extends Paths<Types, Type>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  gt<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  ge<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  lt<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  le<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>
  contains(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>
  starts(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>
  ends(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>
  /** The operator `in`. */
  isIn<Path extends Paths<Types, Type>>(
    path: Path,
    first: ValueAt<Types, Type, Path>,
    ...values: readonly ValueAt<Types, Type, Path>[]
  ): Expression<Type>
  /** The operator `null`. */
  isNull(path: Paths<Types, Type, AttributeKind>): Expression<Type>
}

type Parts<Type extends string> = readonly [Expression<Type>, ...Expression<Type>[]]

/** The operators that an attribute accepts: those of texts, of values with an order, or of equality. */
type AttributeKind = 'text' | 'ordered' | 'equal'
type Ordered = 'text' | 'ordered'
type AnyKind = AttributeKind | 'id'

/** The kinds of the filterable fields of a type, with its id. */
type KindsOf<Types, Type> = { readonly id: 'id' } & ([Part<Types, Type, 'filterable'>] extends [never]
  ? unknown
  : Part<Types, Type, 'filterable'>)

type NamesOf<Types, Type, Kind> = {
  [Name in keyof KindsOf<Types, Type>]: KindsOf<Types, Type>[Name] extends Kind ? Name : never
}[keyof KindsOf<Types, Type>] &
  string

type ToOneNames<Types, Type> = {
  [Name in NamesOf<Types, Type, 'relation'>]: RelationPart<RelationOf<Types, Type, Name>, 'many'> extends true
    ? never
    : Name
}[NamesOf<Types, Type, 'relation'>]

/** Names of attributes, also of a resource to which two to-one relations lead. `has` reaches further ones. */
type Paths<Types, Type, Kind = AnyKind> =
  | NamesOf<Types, Type, Kind>
  | {
      [First in ToOneNames<Types, Type>]:
        | `${First}.${NamesOf<Types, TargetOf<Types, Type, First>, Kind>}`
        | {
            [Second in ToOneNames<Types, TargetOf<Types, Type, First>>]: `${First}.${Second}.${NamesOf<
              Types,
              TargetOf<Types, TargetOf<Types, Type, First>, Second>,
              Kind
            >}`
          }[ToOneNames<Types, TargetOf<Types, Type, First>>]
    }[ToOneNames<Types, Type>]

type ValueAt<Types, Type, Path> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof RelationsOf<Types, Type>
    ? ValueAt<Types, TargetOf<Types, Type, Name>, Rest>
    : never
  : Path extends 'id'
    ? string
    : Path extends keyof Part<Types, Type, 'attributes'>
      ? NonNullable<Part<Types, Type, 'attributes'>[Path]>
      : never

/** The text of an expression, for a filter with another key: `filter: { q: where<Api, 'tasks'>(…) }`. */
export function where<Api extends { readonly types: object }, Type extends keyof Api['types'] & string>(
  compose: Where<Api['types'], Type>,
): string {
  return writeExpression(compose as never)
}

/** Calls the function that composes an expression, and returns its text. */
export function writeExpression(compose: (operators: typeof writers) => Expression): string {
  return compose(writers).text
}

const operator =
  (name: string) =>
  (path: string, ...values: readonly unknown[]): Expression => ({ text: call(name, path, ...values.map(literal)) })
const group =
  (name: string) =>
  (...parts: readonly Expression[]): Expression => ({ text: call(name, ...parts.map(({ text }) => text)) })

const writers = {
  and: group('and'),
  or: group('or'),
  not: group('not'),
  has: (relation: string, compose?: (operators: never) => Expression): Expression => ({
    text: compose ? call('has', relation, writeExpression(compose as never)) : call('has', relation),
  }),
  eq: operator('eq'),
  ne: operator('ne'),
  gt: operator('gt'),
  ge: operator('ge'),
  lt: operator('lt'),
  le: operator('le'),
  contains: operator('contains'),
  starts: operator('starts'),
  ends: operator('ends'),
  isIn: operator('in'),
  isNull: operator('null'),
}

function call(name: string, ...parts: readonly string[]): string {
  return `${name}(${parts.join(',')})`
}

/** Texts have single quotes, and a quote in them is doubled. */
function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
