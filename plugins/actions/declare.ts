import type { ErrorFactory } from '#kernel/errors'
import type { EntityClass } from '#kernel/operations'
import type { ApiRequest, Awaitable, Context, Fact, Principal, RecordOf } from '#kernel/plugin'
import type { Answer, AnswerOf, DeclaredAnswer, ErrorAnswer } from './answers.ts'
import type { RawInput } from './raw-body.ts'

export type On = 'resource' | 'collection'
export type Method = 'GET' | 'POST' | 'DELETE'
type InputKind = 'none' | 'document' | 'raw'

/** The parameter of a handler. */
export interface ActionContext<Subject, Input> {
  /** The entity, locked; a record if the method is GET; null for an action of the collection. */
  readonly subject: Subject
  /** The values of the document in a plain object, the raw body, or null. */
  readonly input: Input
  /** Null if anonymous. */
  readonly principal: Principal | null
  /** The unit of work: its EntityManager is inside the transaction, unless the method is GET. */
  readonly unit: Context['unit']
  /** Null if the program dispatched the action. */
  readonly request: ApiRequest | null
  /** The context of the operation, for example for `enqueue()` of async-writes. */
  readonly context: Context
}

type SubjectOf<Entity, Target extends On, Verb extends Method> = Target extends 'collection'
  ? null
  : Verb extends 'GET'
    ? RecordOf<Entity>
    : Entity

type DefaultInput<Kind extends InputKind> = Kind extends 'raw'
  ? RawInput
  : Kind extends 'document'
    ? Readonly<Record<string, unknown>>
    : null

export interface ActionOptions<
  Entity,
  Target extends On = On,
  Verb extends Method = Method,
  Kind extends InputKind = InputKind,
  Declared extends DeclaredAnswer = DeclaredAnswer,
  Input = DefaultInput<Kind>,
  InputType extends string = string,
  Media extends string = string,
  Errors extends readonly ErrorFactory[] = readonly ErrorFactory[],
> {
  /** Default: `resource`. */
  readonly on?: Target
  /** Default: `POST`. An action with GET runs in a snapshot, like every read, and must not write. */
  readonly method?: Verb
  /** Default: `none`. */
  readonly input?: Kind
  /** The type whose fields validate the document, as for a create. */
  readonly inputType?: InputType
  /** The media types of raw input. */
  readonly accepts?: readonly Media[]
  /** The largest raw input, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** The success responses of the handler. */
  readonly answers: Declared | readonly Declared[]
  /** The policy method that authorizes it. Default: the name of the action. */
  readonly ability?: string
  /** The servers that offer it. Default: all servers of the type. */
  readonly server?: string | readonly string[]
  /** The errors that it throws, as `defineError` returns them. */
  readonly errors?: Errors
  /** OpenAPI tags. Default: those of the type. */
  readonly tags?: readonly string[]
  /** The short text in the OpenAPI document. Default: the name before the type, as in `Reissue an album`. */
  readonly summary?: string
  /** The description in the OpenAPI document. */
  readonly description?: string
  /** Adds `links.<name>` to every resource on which the requester may run it. */
  readonly asLink?: boolean
  /** Whether its response shows a secret once, such as a generated token: it is not stored, and an `Idempotency-Key` is a 400. */
  readonly showsSecret?: boolean
  handle(context: ActionContext<SubjectOf<Entity, Target, Verb>, Input>): Awaitable<AnswerOf<Declared> | ErrorAnswer>
}

/** An action before it is compiled. */
export interface DeclaredAction extends Omit<ActionOptions<never>, 'handle'> {
  readonly name: string
  handle(context: ActionContext<never, never>): Awaitable<Answer>
}

/** The builder of actions in a declaration: `actions: ({ action }) => [action('publish', { … })]`. */
export interface ActionBuilders<Entity> {
  action<
    const Target extends On = 'resource',
    const Verb extends Method = 'POST',
    const Kind extends InputKind = 'none',
    const Declared extends DeclaredAnswer = never,
    Input = DefaultInput<Kind>,
    const InputType extends string = never,
    const Media extends string = never,
    const Name extends string = string,
    const Errors extends readonly ErrorFactory[] = readonly [],
  >(
    name: Name,
    options: ActionOptions<Entity, Target, Verb, Kind, Declared, Input, InputType, Media, Errors>,
  ): DeclaredAction & Fact<ActionFacts<Target, Verb, InputType, Media, Declared, Errors> & { readonly name: Name }>
}

/** The facts of an action, for the types of clients. */
interface ActionFacts<Target, Verb, InputType, Media, Declared, Errors> {
  readonly on: Target
  readonly method: Verb
  readonly inputType: InputType
  readonly media: Media
  readonly answers: Declared
  readonly errors: Errors
}

export const actionBuilders: ActionBuilders<never> = {
  action: (name, options) => ({ ...(options as unknown as DeclaredAction), name }) as never,
}

/** An action in a file of its own, `resources/<type>/actions/<name>.ts`: the file has the name of the action. */
export function defineAction<
  Entity extends object,
  const Target extends On = 'resource',
  const Verb extends Method = 'POST',
  const Kind extends InputKind = 'none',
  const Declared extends DeclaredAnswer = never,
  Input = DefaultInput<Kind>,
  const InputType extends string = never,
  const Media extends string = never,
  const Errors extends readonly ErrorFactory[] = readonly [],
>(
  _entity: EntityClass<Entity>,
  options: ActionOptions<Entity, Target, Verb, Kind, Declared, Input, InputType, Media, Errors>,
): Omit<DeclaredAction, 'name'> & Fact<ActionFacts<Target, Verb, InputType, Media, Declared, Errors>> {
  return options as never
}
