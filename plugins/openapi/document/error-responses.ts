import { STATUS_CODES } from 'node:http'
import type { ErrorDefinition } from '#kernel/errors'
import type { DescribedErrorResponse, Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { errorExample } from '../examples/errors.ts'
import { errorName, pascalCase } from '../names.ts'
import { buildMediaType } from './media-type.ts'
import type { PathOperation } from './operations.ts'

/** Replaces equal error responses by components, named after status and kind of operation. */
export function errorResponses(
  operations: readonly PathOperation[],
  state: DraftState,
): Map<DescribedErrorResponse, object> {
  const all = operations.flatMap((operation) =>
    [...operation.errorResponses].map(([status, failure]) => {
      const media = chooseMedia(status, operation)
      const codes = [...failure.errors].map(({ code }) => code)
      const text = JSON.stringify([status, media, codes, failure.headers])
      return { failure, status, media, kind: operation.kind ?? 'Endpoint', text }
    }),
  )
  const names = new Map<string, string>()
  const claim = (group: readonly (typeof all)[number][], name: string, share: number) => {
    const open = group.filter(({ text }) => !names.has(text))
    const [text, count] = mostFrequent(open.map(({ text }) => text))
    if (text !== undefined && count > 1 && count >= open.length * share) names.set(text, name)
  }
  for (const [status, group] of Map.groupBy(all, ({ status }) => status)) {
    claim(group, statusName(status), 0.5)
    for (const [kind, ofKind] of Map.groupBy(group, ({ kind }) => kind))
      claim(ofKind, `${kind}${statusName(status)}`, 0)
  }
  const statuses = findStatuses(operations)
  return new Map(
    all.map(({ failure, status, media, text }) => {
      const name = names.get(text)
      const make = () => errorResponse(status, failure, media, statuses, state)
      return [failure, name === undefined ? make() : state.component(name, make, 'responses')]
    }),
  )
}

/**
 * Returns a function that describes the error responses of an operation in full, without components that operations share. The
 * schemas of all errors are components.
 */
export function describeErrorResponses(
  operations: readonly PathOperation[],
  state: DraftState,
): (operation: PathOperation) => Map<DescribedErrorResponse, object> {
  const statuses = findStatuses(operations)
  const errors = operations.flatMap(({ errorResponses }) =>
    [...errorResponses.values()].map((response) => response.errors),
  )
  for (const error of new Set(errors.flatMap((some) => [...some]))) {
    errorSchema(error, statuses.get(error.code) ?? new Set(), state)
  }
  return (operation) => {
    const responses = [...operation.errorResponses].map(([status, failure]) => {
      const media = chooseMedia(status, operation)
      return [failure, errorResponse(status, failure, media, statuses, state)] as const
    })
    return new Map(responses)
  }
}

/** 415 and 406 are sent without the extension. */
function chooseMedia(status: number, { route }: PathOperation): string {
  return buildMediaType(status === 406 || status === 415 ? undefined : route?.jsonapi?.extension)
}

function mostFrequent(texts: readonly string[]): [text: string | undefined, count: number] {
  const groups = [...Map.groupBy(texts, (text) => text)].map(([text, same]) => [text, same.length] as const)
  const best = groups.reduce<readonly [string, number] | undefined>((a, b) => (a && a[1] >= b[1] ? a : b), undefined)
  return [best?.[0], best?.[1] ?? 0]
}

/** The statuses of each error; few have more than one. */
function findStatuses(operations: readonly PathOperation[]): Map<string, Set<number>> {
  const statuses = new Map<string, Set<number>>()
  for (const { errorResponses } of operations) {
    for (const [status, { errors }] of errorResponses) {
      for (const { code } of errors) statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
    }
  }
  return statuses
}

function errorResponse(
  status: number,
  { errors, headers }: DescribedErrorResponse,
  media: string,
  statuses: ReadonlyMap<string, ReadonlySet<number>>,
  state: DraftState,
): object {
  const codes = [...errors].map(({ code }) => code)
  const errorSchemas = [...errors].map((error) => errorSchema(error, statuses.get(error.code) ?? new Set(), state))
  const schema: Schema =
    errorSchemas.length === 0
      ? state.refer('ErrorDocument')
      : {
          type: 'object',
          properties: {
            errors: {
              type: 'array',
              minItems: 1,
              items: { anyOf: [...errorSchemas, state.refer('Error')] },
            },
            meta: state.refer('ErrorMeta'),
            jsonapi: state.refer('JsonApi'),
          },
          required: ['errors', 'jsonapi'],
        }
  return {
    description:
      codes.length > 0
        ? `${statusTitle(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}.`
        : `${statusTitle(status)}.`,
    headers: { Vary: state.refer('Vary', 'headers'), ...headers },
    content: { [media]: { schema: { ...schema, examples: [errorExample(status, [...errors])] } } },
  }
}

function errorSchema(
  { code, title, documentation }: ErrorDefinition,
  statuses: ReadonlySet<number>,
  { component, refer }: DraftState,
): Schema {
  const status = [...statuses].sort().map(String)
  return component(errorName(code), () => ({
    type: 'object',
    description: documentation?.when ?? `${title}.`,
    properties: {
      id: { type: 'string' },
      status: { type: 'string', ...(status.length === 1 ? { const: status[0] } : { enum: status }) },
      code: { type: 'string', const: code },
      title: { type: 'string' },
      detail: { type: 'string' },
      source: refer('ErrorSource'),
      links: refer('Links'),
      meta: refer('Meta'),
    },
    required: ['status', 'code', 'title'],
  }))
}

function statusTitle(status: number): string {
  return statusName(status).replace(/([a-z])([A-Z])/g, '$1 $2')
}

/** 404 → `NotFound`. */
function statusName(status: number): string {
  return pascalCase(STATUS_CODES[status] ?? `Status ${status}`)
}
