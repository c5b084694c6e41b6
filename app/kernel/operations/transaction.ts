import { type Awaitable, andThen, callEach, isThenable } from '../lib/awaitable.ts'
import type { App } from '../model/app.ts'
import type { BeforeCommit, CreatedIds, Operation, OperationDraft, RequestTransaction } from '../model/operation.ts'
import { type ApiResponse, ResponseError } from '../model/response.ts'
import type { Plan } from '../model/stages.ts'
import type { Unit } from '../model/store.ts'
import { changedRows } from './changed-rows.ts'
import { runAfterCommit, stepsOfAll } from './hooks.ts'

/** An operation that has run, and its response. */
export interface Performed {
  readonly operation: Operation
  readonly response: ApiResponse
}

/** The response of a request, from the responses of its operations. */
export type ToResponse = (responses: readonly ApiResponse[]) => ApiResponse

/** The outcome of a transaction. It has no operations if a hook has ended the request. */
export interface Outcome {
  readonly performed: readonly Performed[]
  /** The response of the request, if a hook needed it before the commit or has ended the request. */
  readonly response: ApiResponse | undefined
}

interface TransactionOptions {
  /** Whether one statement writes, which commits by itself if nothing else needs the transaction. */
  readonly isSingle?: boolean
  /** Replaces the names of created resources in an operation by their ids. */
  readonly resolve?: (draft: OperationDraft, createdIds: CreatedIds) => OperationDraft
  readonly toResponse: ToResponse
}

const itself = (draft: OperationDraft) => draft

/** Runs the writes of one request in a transaction, between the stage `transaction` and the work that it has added. */
export function transact(
  app: App,
  operations: readonly OperationDraft[],
  work: (unit: Unit, createdIds: CreatedIds) => Promise<readonly Performed[]>,
  { isSingle = false, resolve = itself, toResponse }: TransactionOptions,
): Promise<Outcome> {
  const origin = operations[0]?.origin
  const request = origin?.request ?? null
  return app.store.write(
    async (unit) => {
      const added: BeforeCommit[] = []
      const beforeCommit = (runBeforeCommit: BeforeCommit) => {
        unit.requireTransaction()
        added.push(runBeforeCommit)
      }
      const createdIds: CreatedIds = new Map()
      const transaction = request && {
        request,
        unit,
        operations,
        beforeCommit,
        createdIds,
        resolve: (draft: OperationDraft) => resolve(draft, createdIds),
      }
      const steps = transaction ? stepsOfAll(operations, 'transaction') : []
      const ended = transaction && runTransaction(steps, transaction)
      const early = isThenable(ended) ? await ended : ended
      if (early?.kind === 'error') throw new ResponseError(early)
      if (early) return { performed: [], response: early }
      const performed = await work(unit, createdIds)
      let response: ApiResponse | undefined
      const respond = async () => {
        response ??= toResponse(performed.map(responseOf))
        if (request) await app.respond(request, response)
      }
      for (const runBeforeCommit of added) await runBeforeCommit(respond)
      return { performed, response }
    },
    origin,
    { rows: changedRows(operations), isSingle },
  )
}

/** Runs the hooks after the commit. Returns the response of the request. */
export function finish({ performed, response }: Outcome, toResponse: ToResponse): Awaitable<ApiResponse> {
  if (response && performed.length === 0) return response
  const responses: ApiResponse[] = []
  const running = callEach(performed, ({ operation, response: written }) =>
    andThen(runAfterCommit(operation, written), (final) => void responses.push(final)),
  )
  return andThen(running, () => {
    const isReplaced = responses.some((final, index) => final !== performed[index]?.response)
    return response && !isReplaced ? response : toResponse(responses)
  })
}

function runTransaction(
  [step, ...others]: Plan['transaction'],
  transaction: RequestTransaction,
): Awaitable<ApiResponse | undefined> {
  return step && andThen(step(transaction), (response) => response || runTransaction(others, transaction))
}

function responseOf({ response }: Performed): ApiResponse {
  return response
}
