// Facts that modifiers add to the type of a field, for the types of clients: `.nullable()` returns
// `this & Fact<{ nullable: true }>`. They exist in types only.

export declare const facts: unique symbol

export interface Fact<Facts> {
  readonly [facts]: Facts
}

/**
 * The name of a field, as the first property of its builder with a literal type: in a list, the compiler then skips the
 * comparison of two builders with different names, which would compare the related entities.
 * perf: 50 declarations with 200 relations compile with 3.5 s of CPU instead of 7.2 s.
 */
export declare const named: unique symbol
export type NameIn<Facts> = Facts['name' & keyof Facts]

export type FactsOf<Builder> = Builder extends Fact<unknown> ? Builder[typeof facts] : never

/** The facts of each builder in a list, as a union; without those that have none. */
export type FactsIn<Builders> = Builders extends readonly (infer Builder)[] ? KnownFacts<Builder> : never
type KnownFacts<Builder> =
  Builder extends Fact<unknown> ? (unknown extends Builder[typeof facts] ? never : Builder[typeof facts]) : never

/** A restriction that applies always, or with a function as argument, sometimes. */
export type Ruled<Name extends string, Rule> = Fact<{ [Key in Name]: Rule extends [] ? true : 'sometimes' }>

declare const declared: unique symbol

/** The entity and the declaration of a resource, for the types of clients. */
export interface DeclaredAs<Entity, Declaration> {
  readonly [declared]?: { readonly entity: Entity; readonly declaration: Declaration }
}

export type DeclarationOf<Resource> = NonNullable<Resource[typeof declared & keyof Resource]>

/** The type of the members of `page` that a paginator reads. */
export declare const pageMembers: unique symbol

/**
 * What the enabled plugins give every resource type, for the types of clients. Each plugin adds members by declaration
 * merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds the members
export interface ApiFacts {}
