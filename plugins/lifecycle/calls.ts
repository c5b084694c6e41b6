import type { ApiResponse, Awaitable, ResourceType } from '#kernel/plugin'
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

/** After a read: an answer that is returned replaces the answer, and the next function gets it. */
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

/** How functions are called after a commit. */
export interface AfterCommit {
  /** Whether an answer that is returned is sent; not in a batch. */
  readonly replaces: boolean
  /** Logs an error: the write is committed, and the client is told so. */
  readonly report: (error: unknown) => void
}

/** After the commit: an error is reported, and neither changes the answer nor keeps the other functions from running. */
export async function tellCommitted(
  calls: readonly Call[] = [],
  event: object,
  response: ApiResponse,
  { replaces, report }: AfterCommit,
): Promise<ApiResponse> {
  let answer = response
  for (const call of calls) {
    try {
      const given = (await call({ ...event, response: answer })) as ApiResponse | undefined
      if (given && replaces) answer = given
    } catch (error) {
      report(error)
    }
  }
  return answer
}
