import type { ApiResponse, Awaitable, Logger, ResourceType } from '#kernel'
import { type EventName, type Events, hookName, hooks } from './hooks.ts'

type Listener<Name extends EventName> = Name extends `After${string}`
  ? (event: Events[Name]) => Awaitable<ApiResponse | undefined>
  : (event: Events[Name]) => Awaitable<void>

/** Functions of the application that hear of every type, by event: one, or a list in the order of their calls. */
export type Listeners = { readonly [Name in EventName]?: Listener<Name> | readonly Listener<Name>[] }

type Call = (event: object) => unknown
export type Calls = Readonly<Partial<Record<EventName, readonly Call[]>>>

export function listenersOf(listeners: Listeners, name: EventName): readonly Call[] {
  return [listeners[name] ?? []].flat() as Call[]
}

/** Whom the events of a type are told: the listeners, then the hook of the resource, which has the last word. */
export function callsOf({ declaration }: ResourceType, listeners: Listeners): Calls {
  const calls: Partial<Record<EventName, readonly Call[]>> = {}
  for (const name of Object.keys(listeners) as EventName[]) calls[name] = listenersOf(listeners, name)
  for (const [name, handed] of Object.entries(hooks) as [keyof typeof hooks, readonly string[]][]) {
    const hook: unknown = declaration[hookName(name) as keyof typeof declaration]
    if (typeof hook !== 'function') continue
    const call: Call = (event) => hook(...handed.map((key) => event[key as never]), event)
    calls[name] = [...(calls[name] ?? []), call]
  }
  return calls
}

/** Before something is done: whoever throws prevents it. */
export async function ask(calls: readonly Call[] = [], event: object): Promise<void> {
  for (const call of calls) await call(event)
}

/** After it is done: whoever answers replaces the answer, and the next is told of that. */
export async function tell(
  calls: readonly Call[] = [],
  event: object,
  response: ApiResponse,
): Promise<ApiResponse | undefined> {
  let answer: ApiResponse | undefined
  for (const call of calls) {
    answer = ((await call({ ...event, response: answer ?? response })) as ApiResponse | undefined) ?? answer
  }
  return answer
}

/** After a batch: nobody can change its answer any more, and who fails does not keep the others from being told. */
export async function tellAll(
  calls: readonly Call[] = [],
  event: object,
  response: ApiResponse,
  logger: Logger | null,
): Promise<void> {
  for (const call of calls) {
    try {
      await call({ ...event, response })
    } catch (error) {
      logger?.error({ err: error }, 'A hook failed after the commit of its batch')
    }
  }
}
