import { readArguments, readInteger } from '../../scripts/support/arguments.ts'
import { startExample } from './server.ts'

const usage = `npm run example -- [--service http://127.0.0.1:3000] [--port 5173]

Serves the front end in examples/browser, and forwards its requests to a running service.`

const { values } = readArguments({ usage, options: { service: { type: 'string' }, port: { type: 'string' } } })
const { service = 'http://127.0.0.1:3000', port = '5173' } = values
const { url } = await startExample(service.replace(/\/$/, ''), readInteger('port', port, usage))
console.log(`${url} shows the albums of ${service}.`)
