import DefaultsDatabase

package enum DefaultsCommand {}
