import type { ApiResponse, Awaitable, ResourceType } from '#kernel/plugin'
import { type EventName, type Events, hookName, hooks } from './hooks.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The functions to call, by event. Set in `onCompile`. */
    hookCalls?: Calls
  }
}

type Listener<Name extends EventName> = Name extends 'AfterAction' | 'AfterRestore' | 'AfterForceDelete'
  ? (event: Events[Name]) => Awaitable<void>
  : Name extends `After${string}`
    ? (event: Events[Name]) => Awaitable<ApiResponse | undefined>
    : (event: Events[Name]) => Awaitable<void>

/** Functions that are called for every type, by event: one, or a list in the order of the calls. */
export type Listeners = { readonly [Name in EventName]?: Listener<Name> | readonly Listener<Name>[] }

type Call = (event: object) => unknown
export type Calls = Readonly<Partial<Record<EventName, readonly Call[]>>>

export function findListeners(listeners: Listeners, name: EventName): readonly Call[] {
  return [listeners[name] ?? []].flat() as Call[]
}

/** The functions to call for each event of a type: the listeners, then the hook of the resource. */
export function findCalls({ declaration }: ResourceType, listeners: Listeners): Calls {
  const calls: Partial<Record<EventName, readonly Call[]>> = {}
  for (const name of Object.keys(listeners) as EventName[]) calls[name] = findListeners(listeners, name)
  for (const [name, handed] of Object.entries(hooks) as [keyof typeof hooks, readonly string[]][]) {
    const hook: unknown = declaration[hookName(name) as keyof typeof declaration]
    if (typeof hook !== 'function') continue
    const call: Call = (event) => hook(...handed.map((key) => event[key as never]), event)
    calls[name] = [...(calls[name] ?? []), call]
  }
  return calls
}

export function callsOf({ hookCalls = {} }: ResourceType): Calls {
  return hookCalls
}

/** Calls functions before a read or write; an error prevents it. */
export async function callBefore(calls: readonly Call[] = [], event: object): Promise<void> {
  for (const call of calls) await call(event)
}

/** Calls functions after a read. A returned response replaces the response that the next function receives. */
export async function callAfterRead(
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

interface AfterCommitOptions {
  /** Whether a returned response is sent: false in a batch, and for an action, which declares its responses. */
  readonly replaces: boolean
  /** Logs an error: the write is committed, and the client gets its response. */
  readonly report: (error: unknown) => void
}

/** Calls functions after the commit. An error is reported; the response stays, and the next function is called. */
export async function callAfterCommit(
  calls: readonly Call[] = [],
  event: object,
  response: ApiResponse,
  { replaces, report }: AfterCommitOptions,
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
