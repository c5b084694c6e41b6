import Joi from 'joi'
import { formText } from '#kernel/errors'
import { type ApiResponse, isData, type Plugin, type Registry, type ResourceType } from '#kernel/plugin'
import { describeResponses, keysByOperation } from './describe.ts'
import {
  type CreateResponses,
  type DeleteResponses,
  type FetchCollectionResponses,
  type FetchOneResponses,
  type OneOrMoreOf,
  type ResponseKey,
  responseKeys,
  type SuccessResponse,
  type UpdateResponses,
} from './responses.ts'

export { created, metaResult, noContent, ok, type SuccessResponse } from './responses.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** The success responses of an operation; the first is the default, a hook may return another. `create: noContent()`. */
    readonly create?: OneOrMoreOf<CreateResponses>
    readonly update?: OneOrMoreOf<UpdateResponses>
    readonly delete?: OneOrMoreOf<DeleteResponses>
    readonly fetchOne?: OneOrMoreOf<FetchOneResponses>
    readonly fetchCollection?: OneOrMoreOf<FetchCollectionResponses>
  }
}

const response = Joi.object({ response: Joi.string().required() }).unknown()
const responseForm = Joi.alternatives(response, Joi.array().items(response)).messages(
  formText('is a response such as created() or noContent(), or a list of them'),
)

/** Lets a type declare the success responses of its operations. */
export function responses(): Plugin {
  return {
    name: 'responses',
    keys: Object.fromEntries(responseKeys.map((key) => [key, responseForm])),

    onCompile(registry) {
      for (const type of registry.types.values()) {
        for (const key of responseKeys) checkResponses(type, key, registry)
      }
    },

    plan({ kind, type, afterOperation }) {
      const key = kind && keysByOperation[kind]
      const declared = type && key ? listResponses(type, key) : []
      if (declared.length > 0) afterOperation.push((_, response) => toDeclared(declared, response))
    },

    describe: (openapi) => describeResponses(openapi, listResponses),
  }
}

/** The responses that a type declares for an operation, in their order. */
export function listResponses({ declaration }: ResourceType, key: ResponseKey): readonly SuccessResponse[] {
  return [declaration[key] ?? []].flat() as SuccessResponse[]
}

/** Converts the default response to the first declared one. Undefined if it stays as it is. */
function toDeclared(declared: readonly SuccessResponse[], response: ApiResponse): ApiResponse | undefined {
  if (response.status === 202) return undefined
  const first = declared.find(({ response: name }) => ['created', 'ok', 'noContent', 'metaResult'].includes(name))
  if (first?.response === 'noContent' && isData(response)) return { ...response, status: 204 }
  const hasNone = response.kind === 'none' && response.status === 204
  return first?.response === 'metaResult' && hasNone ? { kind: 'meta', status: 200, meta: {} } : undefined
}

function checkResponses(type: ResourceType, key: ResponseKey, registry: Registry): void {
  const declared = listResponses(type, key)
  for (const { response, answers } of declared) {
    if (!answers?.includes(key)) registry.fail(type, key, `${response}() cannot be the answer here.`)
  }
  const statuses = declared.map(({ status }) => status)
  for (const status of new Set(statuses.filter((one, index) => statuses.indexOf(one) !== index))) {
    registry.fail(type, key, `Two of the answers have the status ${status}.`)
  }
}
