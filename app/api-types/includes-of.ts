// Computes the paths that `include` accepts.

/** The paths of at most three relations, or those that the declaration allows. */
export type IncludePaths<Types, Type, Declaration> = Declaration extends {
  readonly allowedIncludePaths: readonly (infer Path extends string)[]
}
  ? Path | Prefixes<Path>
  : Paths<Types, Type, DepthOf<Declaration>>

type Prefixes<Path> = Path extends `${infer Head}.${infer Rest}` ? Head | `${Head}.${Prefixes<Rest>}` : never

/** The counter of a depth: the relations that may follow. */
type DepthOf<Declaration> = Declaration extends { readonly maxIncludeDepth: infer Depth }
  ? Depth extends 1
    ? []
    : Depth extends 2
      ? [1]
      : [1, 1]
  : [1, 1]

type Paths<Types, Type, Depth> = Type extends keyof Types
  ? Types[Type] extends { readonly relations: infer Relations }
    ? { [Name in keyof Relations]: PathsThrough<Types, Relations[Name], Name & string, Depth> }[keyof Relations]
    : never
  : never

type PathsThrough<Types, Relation, Name extends string, Depth> = Relation extends {
  readonly includable: true
  readonly to: infer To
}
  ? Name | (Depth extends [unknown, ...infer Rest] ? `${Name}.${Paths<Types, To, Rest> & string}` : never)
  : never
