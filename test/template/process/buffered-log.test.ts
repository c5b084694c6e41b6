import { expect } from 'chai'
import { createLogger, flushWarnings } from '#app/process/logger.ts'

describe('The buffered log of production', () => {
  it('keeps the lines of requests until the buffer is full, and writes a warning with all lines before it', () => {
    const buffered: string[] = []
    const written: string[] = []
    const output = {
      write: (line: string) => buffered.push(JSON.parse(line).msg) > 0,
      flushSync: () => void written.push(...buffered.splice(0)),
    }
    const logger = createLogger({ logLevel: 'info', logFormat: 'json' }, flushWarnings(output))
    logger.info({}, 'first')
    logger.info({}, 'second')
    expect(written).to.deep.equal([])
    logger.warn({}, 'third')
    expect(written).to.deep.equal(['first', 'second', 'third'])
    logger.error({}, 'fourth')
    expect(written).to.deep.equal(['first', 'second', 'third', 'fourth'])
  })
})
