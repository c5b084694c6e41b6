import { connect, createServer, type Server, type Socket } from 'node:net'
import { Client } from 'pg'
import { type Fault, type FaultInjector, failingStatement, type SqlState } from './faults.ts'
import { createMessageReader, errorMessage, queryMessage, readStatement } from './wire-messages.ts'

/** A proxy for the protocol of PostgreSQL that fails driver calls. A call is a Query message, or messages up to a Sync. */
export interface WireProxy extends FaultInjector {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Refuses new connections with SQLSTATE 53300, or accepts them again. */
  refuseConnections(isRefused: boolean): void
  /** Cuts all connections. */
  cutAll(): void
  close(): Promise<void>
}

interface State {
  calls: string[]
  armed: { readonly call: number; readonly fault: Fault } | null
  /** Whether the fault has begun, and its connection is still open. */
  isCutting: boolean
  isRefused: boolean
}

export async function startWireProxy(databaseUrl: string): Promise<WireProxy> {
  const target = new URL(databaseUrl)
  const state: State = { calls: [], armed: null, isCutting: false, isRefused: false }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client.on('close', () => sockets.delete(client)))
    relay(client, connect(Number(target.port), target.hostname), state)
  })
  await listen(server)
  const admin = new Client({ connectionString: databaseUrl, application_name: 'faults' })
  await admin.connect()
  const url = new URL(databaseUrl)
  url.port = String((server.address() as { port: number }).port)
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    get calls() {
      return state.calls
    },
    get state() {
      return state.armed ? 'armed' : state.isCutting ? 'pending' : 'done'
    },
    arm(call, fault) {
      state.calls = []
      state.armed = fault && { call, fault }
    },
    query: async (sql) => ([await admin.query(sql)].flat().at(-1) as { rows: Record<string, unknown>[] }).rows,
    refuseConnections(isRefused) {
      state.isRefused = isRefused
    },
    cutAll,
    async close() {
      await admin.end()
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

/** Relays one connection, call by call. */
function relay(client: Socket, server: Socket, state: State): void {
  /** Numbers of driver calls on this connection that were sent and answered, and the one whose answer is lost. */
  let sent = 0
  let answered = 0
  let lost = -1
  let isReady = false
  const cut = () => {
    client.destroy()
    server.destroy()
  }
  for (const socket of [client, server]) socket.setNoDelay().on('error', cut).on('close', cut)
  if (state.isRefused) {
    client.once('data', () => client.end(errorMessage('53300', 'sorry, too many clients already')))
    return void server.destroy()
  }

  let call: Buffer[] = []
  const sendCall = () => {
    const bytes = Buffer.concat(call)
    const text = call.map(readStatement).filter(Boolean).join('; ')
    call = []
    state.calls.push(text)
    const fault = state.armed?.call === state.calls.length ? state.armed.fault : null
    if (fault) state.armed = null
    if (fault === 'cut before' || fault === 'cut after' || fault === 'answer lost') {
      state.isCutting = true
      client.once('close', () => {
        state.isCutting = false
      })
    }
    if (fault === 'cut before') return cut()
    sent++
    if (fault === 'answer lost') lost = sent
    if (fault === 'cut after') {
      server.write(bytes, () => server.end())
      return void client.destroySoon()
    }
    const isState = fault && fault !== 'answer lost'
    server.write(isState ? queryMessage(failingStatement(fault as SqlState, text)) : bytes)
  }
  const readClient = createMessageReader('client', (message, kind) => {
    if (kind === 'start' || kind === 'p' || kind === 'X') return void server.write(message)
    call.push(message)
    if (kind === 'Q' || kind === 'S') sendCall()
  })
  const readServer = createMessageReader('server', (message, kind) => {
    const isLost = isReady && answered + 1 === lost
    if (!isLost && !client.destroyed) client.write(message)
    if (kind !== 'Z') return
    if (isLost) return cut()
    if (isReady) answered++
    isReady = true
  })
  client.on('data', readClient)
  server.on('data', readServer)
}
