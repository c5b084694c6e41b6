import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { build } from 'esbuild'
import { root } from '#test/support/app.ts'
import { expectSuccess, runNode } from '#test/template/support/run-node.ts'
import { apiIndex } from '../../../scripts/client/api-index.ts'
import { bundleClient } from '../../../scripts/template/client-bundle.ts'

describe('The package of the TypeScript client', () => {
  it('has at most 6 kB minified and compressed, and contains no file of the server', async () => {
    // A front end that imports the types of the API together with the client.
    const contents = `import { createClient } from './clients/typescript/dist/index.js'
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
    expect(inputs.filter((file) => file !== 'clients/typescript/dist/index.js')).to.deep.equal([])
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).to.be.within(1, 6000)
  })

  it('contains the sources in one module and its types in one file, as npm run template -- client writes them', async () => {
    for (const [name, text] of Object.entries(await bundleClient()))
      expect(readFileSync(join(root, 'clients/typescript/dist', name), 'utf8'), name).to.equal(text)
    const types = ['--types', '', '--lib', 'es2022,dom,dom.iterable', 'clients/typescript/dist/index.d.ts']
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', ...types]
    expectSuccess(await runNode(['node_modules/typescript/bin/tsc', ...options]))
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
