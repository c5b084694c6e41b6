import { expect } from 'chai'
import { beginSnapshotOn } from '#store/transaction/begin.ts'

describe('A snapshot that could not begin', () => {
  const fail = (reason: string) => Promise.reject(new Error(reason))
  /** A snapshot on a connection that answers `begin` with an error. */
  const begin = (answer: () => Promise<unknown>) => {
    const sent: string[] = []
    const connection = {
      query(text: string) {
        sent.push(text)
        return text.startsWith('begin') ? fail('no snapshot') : answer()
      },
      release() {},
    }
    return { snapshot: beginSnapshotOn(connection as never), sent }
  }

  it('fails its statements, though they succeed outside of it', async () => {
    const { snapshot } = begin(() => Promise.resolve({ rows: [{ id: 1 }] }))
    for (const attempt of [1, 2]) {
      const error = await snapshot.query(`select ${attempt}`, []).then(() => null, String)
      expect(error).to.equal('Error: no snapshot')
    }
  })

  it('rejects once if a statement fails as well, and ends without an error', async () => {
    const unhandled: unknown[] = []
    const collect = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', collect)
    try {
      const { snapshot, sent } = begin(() => fail('connection lost'))
      expect(await snapshot.query('select 1', []).then(() => null, String)).to.match(/no snapshot|connection lost/)
      snapshot.end('rollback')
      await new Promise(setImmediate)
      expect(sent).to.deep.equal(['begin isolation level repeatable read read only', 'select 1', 'rollback'])
      expect(unhandled).to.deep.equal([])
    } finally {
      process.off('unhandledRejection', collect)
    }
  })
})
