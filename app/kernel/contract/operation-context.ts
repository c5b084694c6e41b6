import type { Context, Requester } from '../data/context.ts'
import type { Member } from '../data/graph.ts'
import type { Query, RelationLoad, RowLimit } from '../data/query.ts'
import type { ErrorObject } from '../errors/errors.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { App } from './app.ts'
import type { Input, Operation } from './operation.ts'
import type { ApiRequest } from './request.ts'
import type { DataResponse, Document, IdentifierResponse } from './response.ts'
import type { Server } from './server.ts'
import type { Target } from './target.ts'

declare module '../data/context.ts' {
  interface Requester {
    readonly server: Server
    /** Null if the program dispatched the operation. */
    readonly request: ApiRequest | null
  }
  interface Context {
    readonly app: App
    /** The resource or linkage of a write, as it was sent. */
    readonly sent: Input | undefined
    /** Whether the operation shares the unit and the response with others. */
    readonly sharesUnit: boolean
    /** Whether the operation addresses a relationship: the linkage is the primary data, at `/data`. */
    readonly isRelationshipEndpoint: boolean
    /** The remaining resources, identifiers and characters that the document may hold. */
    readonly budget: DocumentBudget
    /** The rows that this operation has written. */
    readonly rowChanges: RowChanges
  }
}

/** The requester of an HTTP request. Reads the state instead of `request.principal`, which marks the response as varying. */
export function requesterOf(request: ApiRequest): Requester {
  const { server, ctx } = request
  return { server, request, principal: ctx.state.principal ?? null, trusted: false }
}

/** The rows that an operation has written, for the checks before the commit and the hooks after it. */
export class RowChanges {
  #keys: Map<ResourceType, Set<unknown>> | undefined
  #memberOperations: Operation[] | undefined

  /** Adds a row that was created or changed, and saved. */
  add(type: ResourceType, key: unknown): void {
    this.#keys ??= new Map()
    getOrCreate(this.#keys, type, () => new Set()).add(key)
  }

  get isEmpty(): boolean {
    return this.#keys === undefined
  }

  /** Adds a change or deletion of a row of another resource. */
  addMember(operation: Operation): void {
    this.#memberOperations ??= []
    this.#memberOperations.push(operation)
  }

  /** Returns and removes the keys by type, each once. */
  takeKeys(): readonly (readonly [ResourceType, readonly unknown[]])[] {
    const taken = [...(this.#keys ?? [])].map(([type, keys]) => [type, [...keys]] as const)
    this.#keys = undefined
    return taken
  }

  takeMemberOperations(): readonly Operation[] {
    const taken = this.#memberOperations ?? []
    this.#memberOperations = undefined
    return taken
  }
}

/** Limits the size of documents. A plugin replaces it in `setup`. */
export interface DocumentLimits {
  /** Characters of the linkage of a relationship. Infinity without a limit. */
  readonly maxLinkage: number
  /** The largest page that fits into a document. Infinity without a limit. */
  maxPageSize(target: Target): number
  /** Writes an error document. May shorten it. */
  writeErrors(document: Document, errors: readonly ErrorObject[]): string | Buffer
  createBudget(): DocumentBudget
}

/** What one document may still hold. Infinity without a limit. The operations of a batch share one budget. */
export interface DocumentBudget {
  resources: number
  identifiers: number
  characters: number
  /** The rows that a collection may return, or a relation for all its parents. Null without a limit. */
  rowLimit(query: Query, context: Context, load?: RelationLoad): RowLimit | null
  /** The error of a document that has no room for its resources or identifiers. */
  toError(excess: Excess): Error
  /** Returns the text of a resource that has no room. Throws if the document is refused. */
  shortenResource(member: Member, response: DataResponse): string
  /** Returns the text of linkage with more characters than `maxLinkage`. Throws if the document is refused. */
  shortenLinkage(response: IdentifierResponse): string
}

/** The part of a document that exceeds its budget. */
export interface Excess {
  readonly counted: 'resources' | 'identifiers'
  readonly query: Query
  readonly context: Context
  /** The relation whose members do not fit; left out for a collection, and for keys in records. */
  readonly load?: RelationLoad | undefined
}
