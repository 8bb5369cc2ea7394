/**
 * Every page that is generated from the command line, the settings and the metrics.
 */
import { cliPage } from './cli-page.ts';
import { configPage, schemaFile } from './config-page.ts';
import type { Page } from './markdown.ts';
import { metricsPage } from './metrics-page.ts';

export function referencePages(): Page[] {
  return [cliPage(), configPage(), schemaFile(), metricsPage()];
}
