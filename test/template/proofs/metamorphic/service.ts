import { mediaType } from '#kernel/plugin'
import { atomicMediaType } from '#test/support/batch.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { createSender } from '#test/template/proofs/fuzz/send.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { createLibraryProcedures } from './library-snapshot.ts'
import { metamorphicResources } from './resources.ts'
import type { RuleName } from './rules/index.ts'
import type { WorldSend } from './world.ts'

/** The library with the resources that the rules read, and with those that batches write. */
export interface MetamorphicService {
  sendFor(rule: RuleName): WorldSend
  close(): Promise<void>
}

export async function startMetamorphicService(): Promise<MetamorphicService> {
  const plugins = pluginsWithTokens('reader')
  const reading = await startLibrary({ resources: metamorphicResources, plugins })
  const writing = await startLibrary({ plugins })
  await createLibraryProcedures()
  const [reads, writes] = [reading, writing].map(({ client }) => createSender(Number(new URL(client.url).port))) as [
    ReturnType<typeof createSender>,
    ReturnType<typeof createSender>,
  ]
  return {
    sendFor: (rule) => toWorldSend(rule === 'batches' ? writes : reads),
    async close() {
      reads.close()
      writes.close()
      await reading.close()
      await writing.close()
    },
  }
}

/** Sends each read again as another requester, with the plan of the first one: every requester receives the same. */
function toWorldSend({ send }: Pick<ReturnType<typeof createSender>, 'send'>): WorldSend {
  return async (method, path, body, isBatch = false) => {
    const type = isBatch ? atomicMediaType : mediaType
    const headers = { accept: type, ...(body && { 'content-type': type }) }
    const message = { method, path, headers, body: body ? JSON.stringify(body) : null }
    const first = await send(message)
    if (method !== 'GET') return first
    const second = await send({ ...message, headers: { ...headers, ...as('reader') } })
    if (second.status === first.status && second.text === first.text) return second
    throw new Error(`GET ${path} returns ${second.text} to the second requester, and ${first.text} to the first.`)
  }
}
