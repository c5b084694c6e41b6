import { mediaType } from '#kernel/plugin'
import { atomicMediaType } from '#test/support/batch.ts'
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
  const reading = await startLibrary({ resources: metamorphicResources })
  const writing = await startLibrary()
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

function toWorldSend({ send }: Pick<ReturnType<typeof createSender>, 'send'>): WorldSend {
  return (method, path, body, isBatch = false) => {
    const type = isBatch ? atomicMediaType : mediaType
    const headers = { accept: type, ...(body && { 'content-type': type }) }
    return send({ method, path, headers, body: body ? JSON.stringify(body) : null })
  }
}
