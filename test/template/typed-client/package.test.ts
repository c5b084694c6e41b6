import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { build } from 'esbuild'
import { root } from '#test/support/app.ts'
import { apiIndex } from '../../../scripts/client/api-index.ts'

describe('The package of the TypeScript client', () => {
  it('has at most 6 kB minified and compressed, and contains no file of the server', async () => {
    // A front end that imports the types of the API together with the client.
    const contents = `import { createClient } from './clients/typescript/src/index.ts'
import type { Api } from './resources/api.ts'
export const api = createClient<Api>({ url: '' })`
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      metafile: true,
    })
    const inputs = Object.keys(metafile.inputs).filter((file) => file !== '<stdin>')
    expect(inputs.filter((file) => !file.startsWith('clients/typescript/src/'))).to.deep.equal([])
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).to.be.within(1, 6000)
  })

  it('has no dependencies', () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, 'clients/typescript/package.json'), 'utf8'),
    )
    expect([dependencies, peerDependencies]).to.deep.equal([undefined, undefined])
  })
})

describe('resources/api.ts', () => {
  it('is what npm run make -- types writes', () => {
    expect(readFileSync(join(root, 'resources/api.ts'), 'utf8')).to.equal(apiIndex())
  })
})
