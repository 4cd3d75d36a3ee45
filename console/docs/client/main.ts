/** What the script adds to pages that are complete without it: theme, copy buttons, tabs, search, the current section. */
import './docs.css'
import 'virtual:system-theme.css'
import { addCodeTabs } from './code-tabs.ts'
import { addCopyButtons } from './copy-buttons.ts'
import { followSections, showCurrentPage } from './current-section.ts'
import { addSearch } from './search-dialog.ts'
import { addThemeMenu } from './theme-menu.ts'

const header = document.querySelector('header.top')
const links = header?.querySelector('.site-links')
if (header && links) {
  addSearch(header, links)
  addThemeMenu(header)
}
addCodeTabs()
addCopyButtons()
followSections()
showCurrentPage()
