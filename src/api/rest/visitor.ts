import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { Visitor, VisitorQuery } from '../../core/visitors/visitor-query.ts';
import { toWireDate } from './dates.ts';
import { createPlainResource, registerReads } from './resource.ts';

export const VISITOR_FILTERS = {
  id: { name: 'id', kind: 'id' },
  unique_id: { name: 'uniqueId', kind: 'text' },
  external_id: { name: 'externalId', kind: 'text' },
  website_id: { name: 'websiteId', kind: 'id' },
} as const;

const text = (description: string) => z.string().meta({ description });

export const visitorSchema = z
  .object({
    id: z.int().meta({ description: 'Visitor identifier.' }),
    uniqueId: text('Public identifier of the visitor.'),
    externalId: text("The website's identifier for the visitor, if the website signed it.").nullable(),
    lastname: text('Last name.'),
    firstname: text('First name.'),
    address: text('Street and number.'),
    city: text('City.'),
    zip: text('Postal code.'),
    country: text('Country.'),
    phone: text('Phone number.'),
    email: text('E-mail address.'),
    browser: text('User agent of the browser.'),
    websiteId: z.array(z.int()).meta({ description: 'Identifiers of the websites that the visitor has used.' }),
    createdAt: z.string().meta({
      description: 'When the visitor was first seen: YYYY-MM-DD HH:MM:SS, UTC.',
      example: '2026-01-31 09:30:00',
    }),
  })
  .meta({ id: 'Visitor', description: 'A visitor of a website. Fields without a value are empty strings.' });

function toWireVisitor({ websiteList, createdAt, erasedAt: _erasedAt, ...visitor }: Visitor) {
  return { ...visitor, websiteId: websiteList, createdAt: toWireDate(createdAt) };
}

export function registerVisitor(app: FastifyInstance, visitors: VisitorQuery, usage: RestUsage): void {
  const definition = { name: 'visitor', schema: visitorSchema, filters: VISITOR_FILTERS };
  registerReads(app, createPlainResource(definition, visitors, toWireVisitor), usage);
}
