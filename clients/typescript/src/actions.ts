import type { AttributesInput, NewResource } from './inputs.ts'
import type { ResultOf } from './results.ts'
import type { Part } from './rows.ts'
import type { ActionSchema, Answer } from './schema.ts'

// The types of actions.

export type ActionInput<Types, Action> = Action extends ActionSchema
  ? (Action['on'] extends 'resource' ? { readonly id: string } : unknown) &
      (Action['method'] extends 'POST' ? unknown : { readonly method: Action['method'] }) &
      ([Action['input']] extends [never]
        ? unknown
        : Action['input'] extends { readonly media: infer Media }
          ? { readonly input: RawBody; readonly contentType: Media }
          : Action['input'] extends { readonly type: infer Input extends string }
            ? { readonly input: DocumentInput<Types, Input> }
            : never)
  : never

/** The body of a request with raw input. */
export type RawBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string

/** The resource that an action receives. */
type DocumentInput<Types, Type extends string> = Type extends keyof Types
  ? { readonly type: Type; readonly attributes: AttributesInput<Part<Types, Type, 'create'>> } & NewResource<
      Types,
      Type
    >
  : { readonly type: Type; readonly attributes: Readonly<Record<string, unknown>> }

export type ActionResult<Types, Type extends string, Action> = Action extends {
  readonly answers: infer Answers extends Answer
}
  ? ResultOf<Types, Type, Answers, never, unknown>
  : never
