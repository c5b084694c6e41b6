import type { App } from '../contract/app.ts'
import type { BeforeCommit, CreatedIds, PlannedOperation, RequestTransaction } from '../contract/operation.ts'
import type { ApiRequest } from '../contract/request.ts'
import { type ApiResponse, ResponseError } from '../contract/response.ts'
import type { Unit } from '../data/store.ts'
import { type Awaitable, callUntil } from '../lib/awaitable.ts'
import { changedRows } from './changed-rows.ts'
import { stepsOfAll } from './hooks.ts'

/** The writes of one request: one operation, or the operations of a batch. */
interface Writes<Result> {
  readonly app: App
  readonly operations: readonly PlannedOperation[]
  /** Whether one statement writes, which commits by itself if nothing else needs the transaction. */
  readonly isSingle: boolean
  /** Runs the operations inside the transaction. */
  run(unit: Unit, createdIds: CreatedIds): Promise<Result>
  /** The response of the request. */
  toResponse(result: Result): ApiResponse
  /** Replaces the names of created resources in an operation by their ids. */
  resolve?(planned: PlannedOperation, createdIds: CreatedIds): PlannedOperation
}

/** The outcome of a transaction: the result of the operations, unless a step has ended the request with a response. */
export interface Outcome<Result> {
  readonly result: Result | null
  /** The response of the request, if a step needed it before the commit or has ended the request. */
  readonly response: ApiResponse | null
}

/** Runs the writes of one request in a transaction, between the stage `transaction` and the work that it has added. */
export function writeInTransaction<Result>(writes: Writes<Result>): Promise<Outcome<Result>> {
  const { app, operations, isSingle } = writes
  const requester = operations[0]?.requester
  const options = { rows: changedRows(operations), isSingle }
  return app.store.write((unit) => runWrites(writes, unit, requester?.request ?? null), requester, options)
}

function runWrites<Result>(writes: Writes<Result>, unit: Unit, request: ApiRequest | null): Promise<Outcome<Result>> {
  const { operations } = writes
  const createdIds: CreatedIds = new Map()
  if (!request) return writes.run(unit, createdIds).then((result) => ({ result, response: null }))
  const added: BeforeCommit[] = []
  const transaction: RequestTransaction = {
    request,
    unit,
    operations,
    createdIds,
    beforeCommit(work) {
      unit.requireTransaction()
      added.push(work)
    },
    resolve: (planned) => writes.resolve?.(planned, createdIds) ?? planned,
  }
  const run = () =>
    writes.run(unit, createdIds).then((result): Awaitable<Outcome<Result>> => {
      if (added.length === 0) return { result, response: null }
      return runAdded(added, writes, result, request).then((response) => ({ result, response }))
    })
  const ended = callUntil(stepsOfAll(operations, 'transaction'), [transaction])
  return ended ? Promise.resolve(ended).then((early) => (early ? endEarly(early) : run())) : run()
}

/** The outcome if a step of the stage `transaction` has ended the request. */
function endEarly(response: ApiResponse): Outcome<never> {
  if (response.kind === 'error') throw new ResponseError(response)
  return { result: null, response }
}

/** Runs the work that was added to the transaction. Returns the response of the request if the work needed it. */
async function runAdded<Result>(
  added: readonly BeforeCommit[],
  { app, toResponse }: Writes<Result>,
  result: Result,
  request: ApiRequest,
): Promise<ApiResponse | null> {
  let response: ApiResponse | null = null
  const respond = async () => {
    response ??= toResponse(result)
    await app.respond(request, response)
  }
  for (const work of added) await work(respond)
  return response
}
