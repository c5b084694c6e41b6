import type { ErrorFactory, FactsIn, FactsOf } from '#kernel'

// Computes the error codes that resources, policies and actions declare.

/** The status of each declared error of a folder's declaration, by code. */
export type DeclaredErrors<Declaration, Folder> = {
  readonly [One in ErrorIn<Declaration, Folder> as One['definition']['code']]: One['definition']['status']
}

/** The errors of the declaration, of its policy and of its actions. */
type ErrorIn<Declaration, Folder> =
  | Listed<Declaration>
  | (Declaration extends { readonly policy: infer Policy } ? Listed<Policy> : never)
  | (Declaration extends { readonly actions: (...args: never[]) => infer Actions } ? Listed<FactsIn<Actions>> : never)
  | (Folder extends { readonly actions: infer Files }
      ? { [Name in keyof Files]: Listed<FactsOf<Files[Name]>> }[keyof Files]
      : never)

type Listed<Owner> = Owner extends { readonly errors: readonly (infer One extends ErrorFactory)[] } ? One : never
