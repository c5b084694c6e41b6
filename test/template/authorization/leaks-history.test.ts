import { describeHistoryMatrix } from './leaks-library/history-matrix.ts'

describeHistoryMatrix()
