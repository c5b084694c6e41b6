import type { FactsIn, FactsOf } from '#kernel'
import type { NoMembers, Simplify } from './declarations.ts'

// Computes the actions of a type from the facts of declared actions.

/** The actions of a declaration, those in files of the folder, and those of soft deletes. */
export type DeclaredActions<Declaration, Folder> = Simplify<
  ActionsIn<Declaration> &
    (Folder extends { readonly actions: infer Files } ? ActionsOfFiles<Files> : NoMembers) &
    (Declaration extends { readonly softDeletes: true | object } ? TrashActions : NoMembers)
>

interface TrashActions {
  readonly restore: ResourceAction<'row'>
  readonly forceDelete: ResourceAction<'none'>
}
interface ResourceAction<Answer> {
  readonly on: 'resource'
  readonly method: 'POST'
  readonly input: never
  readonly answers: Answer
}

type ActionsIn<Declaration> = Declaration extends { readonly actions: (...args: never[]) => infer Actions }
  ? {
      readonly [Action in FactsIn<Actions> as Action extends { readonly name: infer Name extends string }
        ? Name
        : never]: ActionOf<Action>
    }
  : NoMembers

type ActionsOfFiles<Files> = { readonly [Name in keyof Files]: ActionOf<FactsOf<Files[Name]>> }

type ActionOf<Facts> = Facts extends {
  readonly on: infer Target
  readonly method: infer Verb
  readonly inputType: infer InputType
  readonly media: infer Media
  readonly answers: infer Declared
}
  ? {
      readonly on: Target
      readonly method: Verb
      readonly input: InputOf<InputType, Media>
      readonly answers: AnswerOf<Declared>
    }
  : never

type InputOf<InputType, Media> =
  | ([InputType] extends [never] ? never : { readonly type: InputType })
  | ([Media] extends [never] ? never : { readonly media: Media })

type AnswerOf<Declared> = Declared extends 'data'
  ? 'row'
  : Declared extends { readonly data: infer Type }
    ? { readonly row: Type }
    : Declared extends 'meta'
      ? 'meta'
      : Declared extends 'noContent'
        ? 'none'
        : Declared extends { readonly accepted: infer Job }
          ? { readonly accepted: Job }
          : 'location'
